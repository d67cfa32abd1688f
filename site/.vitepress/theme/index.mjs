// VitePress's theme with the fonts of the reader's machine: nothing is fetched from elsewhere.
import DefaultTheme from 'vitepress/theme-without-fonts'
import { useFrames } from './frames.mjs'
import './style.css'

export default { extends: DefaultTheme, setup: useFrames }
