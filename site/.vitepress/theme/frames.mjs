// Pages that flyc writes stand in frames: they are light or dark as the site is.
import { onMounted, watch } from 'vue'
import { useData } from 'vitepress'

export function useFrames() {
  const { isDark } = useData()
  const tell = frame => {
    const root = frame.contentDocument?.documentElement
    if (root) root.dataset.theme = isDark.value ? 'dark' : 'light'
  }
  onMounted(() => {
    // Frames load late, when they come into sight. `load` does not bubble.
    document.addEventListener('load', ({ target }) => target.tagName === 'IFRAME' && tell(target), true)
    watch(isDark, () => document.querySelectorAll('.frame iframe').forEach(tell), { immediate: true })
  })
}
