// The site: the pages that scripts/site_pages.py lays out, under one theme, with our own grammar for .fly.
import { readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitepress'

const here = dirname(fileURLToPath(import.meta.url))
const root = resolve(here, '../..')
const pages = process.env.FLY_SITE_PAGES ?? join(root, 'build/site/pages')
const { groups, kernels } = JSON.parse(readFileSync(join(pages, 'site.json'), 'utf8'))
const fly = { ...JSON.parse(readFileSync(join(root, 'editors/fly.tmLanguage.json'), 'utf8')), name: 'fly' }

const link = page => '/' + page.replace(/(^|\/)index\.md$/, '$1').replace(/\.md$/, '.html')
const group = title => groups.find(each => each.title === title)
const first = title => link(group(title).pages[0].page)

// The side bar of the manual is docs/README.md. A group is open if one of its pages is shown.
const manual = groups.map(({ title, pages }) => ({
  text: title,
  collapsed: title !== 'Tutorial' && title !== 'Learn',
  items: pages.map(({ title, page }) => ({ text: title, link: link(page) })),
}))

// That of the gallery is the folders of kernels/.
const folders = [...new Set(kernels.map(name => name.split('/')[0]))]
const gallery = [{ text: 'All kernels', link: '/kernels/' }].concat(
  folders.map(folder => ({
    text: folder,
    collapsed: true,
    items: kernels
      .filter(name => name.startsWith(folder + '/'))
      .map(name => ({ text: name.slice(folder.length + 1), link: `/kernels/${name}.html` })),
  })),
)

const entrance = (title, words, to) => ({ title, details: words, link: to, linkText: 'Open' })

export default defineConfig({
  title: 'flyc',
  description: 'A compiler for AMD GPU kernels, with CuTe layouts and an emulator',
  lang: 'en',
  base: process.env.FLY_SITE_BASE ?? '/',
  srcDir: relative(resolve(here, '..'), pages),
  outDir: process.env.FLY_SITE_OUT ?? join(root, 'build/site/html'),
  cacheDir: process.env.FLY_SITE_CACHE ?? join(root, 'build/site/cache'),
  head: [['link', { rel: 'icon', type: 'image/svg+xml', href: (process.env.FLY_SITE_BASE ?? '/') + 'flyc.svg' }]],
  ignoreDeadLinks: false,
  lastUpdated: false,
  metaChunk: true,
  vite: {
    build: { chunkSizeWarningLimit: 4000, reportCompressedSize: false },
  },

  markdown: {
    // Languages that shiki does not have by itself, or that these pages call by another name.
    languages: [fly],
    languageAlias: { console: 'shellsession', tablegen: 'cpp' },
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    // As GitHub spells anchors, and tests/docs/inputs/links.py.
    anchor: {
      slugify: text =>
        text
          .toLowerCase()
          .replace(/[^\p{L}\p{N}_\- ]/gu, '')
          .replace(/ /g, '-'),
    },
    toc: { level: [2, 3] },
    config(md) {
      // Code is not a template: `{{1, 2}}` stays what it is.
      const inline = md.renderer.rules.code_inline
      md.renderer.rules.code_inline = (tokens, index, ...rest) => {
        tokens[index].attrSet('v-pre', '')
        return inline(tokens, index, ...rest)
      }
      // Wide tables scroll in themselves; with the keyboard too.
      md.renderer.rules.table_open = () => '<div class="table" tabindex="0"><table>\n'
      md.renderer.rules.table_close = () => '</table></div>\n'
    },
  },

  // docs/README.md is the index of the manual; on the site it stands under the entrances.
  transformPageData(data) {
    if (data.relativePath !== 'index.md') return
    data.frontmatter = {
      ...data.frontmatter,
      layout: 'home',
      hero: {
        name: 'flyc',
        text: 'GPU kernels, ahead of time',
        tagline:
          'From .fly, a Python-like language with the layouts of CuTe, to machine code for AMD GPUs. ' +
          'An emulator runs that same code without a GPU.',
        image: { src: '/tile.svg', alt: 'A swizzled tile of shared memory: each number is where an element lies' },
        actions: [
          { theme: 'brand', text: 'Start the tutorial', link: first('Tutorial') },
          { theme: 'alt', text: 'See the kernels', link: '/kernels/' },
        ],
      },
      features: [
        entrance('Tutorial', 'Ten steps from adding two vectors to attention. Each has a picture, a command and its output.', first('Tutorial')),
        entrance('Guides', 'One task each: from CMake, Python and editors to tuning and machine code.', first('Guides')),
        entrance('Reference', 'What there is: the language, the command line, the emulator, the reports.', first('Reference')),
        entrance('Explanation', 'How flyc works, why it was decided so, and how far to trust it.', first('Explanation')),
      ],
    }
  },

  themeConfig: {
    logo: '/flyc.svg',
    nav: [
      { text: 'Tutorial', link: first('Tutorial'), activeMatch: '/tutorial/' },
      { text: 'Guides', link: first('Guides') },
      { text: 'Reference', link: first('Reference') },
      { text: 'Explanation', link: first('Explanation') },
      { text: 'Gallery', link: '/kernels/', activeMatch: '/kernels/' },
    ],
    sidebar: { '/kernels/': gallery, '/': manual },
    outline: { level: [2, 3] },
    docFooter: { prev: 'Before', next: 'Next' },
    search: {
      provider: 'local',
      options: {
        // Of the gallery the words are searched, not the code.
        _render(text, env, md) {
          if (env.frontmatter?.search === false) return ''
          const html = md.render(text, env)
          if (env.frontmatter?.search === false) return ''
          return env.relativePath.startsWith('kernels/') ? html.replace(/<pre[^]*?<\/pre>/g, '') : html
        },
      },
    },
  },
})
