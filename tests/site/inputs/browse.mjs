// Looks at a built site in a browser: browse.mjs SITE-PACKAGES FOLDER PAGE...
//
// A server of this file gives out the folder. Each page is shown light and dark, wide and 400 px wide. It must ask
// nothing of another server and print no error; axe must find no fault of contrast and none that it calls serious; and
// no page may be wider than the window. Then the search must find a word. With PICTURES=DIR each view is kept there.
import { createRequire } from 'node:module'
import { createReadStream, existsSync, mkdirSync, readFileSync, statSync } from 'node:fs'
import { createServer } from 'node:http'
import { extname, join, normalize, resolve } from 'node:path'

const [packages, folder, ...pages] = process.argv.slice(2)
const require = createRequire(resolve(packages, 'package.json'))
const { chromium } = require('playwright-core')
const axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8')

const types = {
  '.html': 'text/html; charset=utf-8', '.js': 'text/javascript', '.css': 'text/css', '.svg': 'image/svg+xml',
  '.png': 'image/png', '.json': 'application/json', '.txt': 'text/plain; charset=utf-8',
}
const server = createServer((request, answer) => {
  let path = join(folder, normalize(decodeURIComponent(new URL(request.url, 'http://x').pathname)))
  if (existsSync(path) && statSync(path).isDirectory()) path = join(path, 'index.html')
  if (!existsSync(path)) return answer.writeHead(404).end()
  answer.writeHead(200, { 'content-type': types[extname(path)] ?? 'application/octet-stream' })
  createReadStream(path).pipe(answer)
})
await new Promise(ready => server.listen(0, '127.0.0.1', ready))
const home = `http://127.0.0.1:${server.address().port}`

const browser = await chromium.launch({
  executablePath: process.env.FLY_CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
})
const wrong = []
const pictures = process.env.PICTURES
if (pictures) mkdirSync(pictures, { recursive: true })
let views = 0

for (const dark of [false, true]) {
  const context = await browser.newContext({ colorScheme: dark ? 'dark' : 'light', viewport: { width: 1300, height: 900 }, bypassCSP: true })
  const page = await context.newPage()
  let where = ''
  page.on('request', request => {
    const url = request.url()
    if (!url.startsWith(home) && !/^(data|blob|about):/.test(url)) wrong.push(`${where}: asks for ${url}`)
  })
  page.on('response', response => {
    if (response.status() >= 400) wrong.push(`${where}: ${response.status()} for ${response.url().slice(home.length)}`)
  })
  page.on('pageerror', error => wrong.push(`${where}: ${error.message}`))
  page.on('console', message => {
    if (message.type() === 'error') wrong.push(`${where}: ${message.text()}`)
  })
  for (const name of pages) {
    for (const width of [1300, 400]) {
      where = `${name}, ${dark ? 'dark' : 'light'}, ${width} px`
      await page.setViewportSize({ width, height: 900 })
      await page.goto(`${home}/${name}`, { waitUntil: 'networkidle' })
      views += 1
      const over = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
      if (over > 0) wrong.push(`${where}: is ${over} px wider than the window`)
      if (pictures) await page.screenshot({ path: join(pictures, `${name.replaceAll('/', '_')}-${dark ? 'dark' : 'light'}-${width}.png`) })
      await page.evaluate(axe)
      // What flyc writes stands in frames, and has tests of its own.
      const found = await page.evaluate(() =>
        window.axe.run(
          { exclude: ['iframe'] },
          // VitePress's own: a group of its side bar is a button around a link, and its search shows keys beside its name.
          { iframes: false, resultTypes: ['violations'], rules: { 'nested-interactive': { enabled: false }, 'label-content-name-mismatch': { enabled: false } } },
        ),
      )
      for (const each of found.violations) {
        if (each.id !== 'color-contrast' && !['serious', 'critical'].includes(each.impact)) continue
        for (const node of each.nodes.slice(0, 3)) {
          wrong.push(`${where}: ${each.id}: ${node.html.slice(0, 110)} ${(node.any[0]?.message ?? '').slice(0, 160)} (${each.nodes.length})`)
        }
      }
    }
  }
  await context.close()
}

// The search finds a word, with the keyboard alone.
const page = await browser.newPage()
await page.goto(home + '/', { waitUntil: 'networkidle' })
await page.keyboard.press('Control+k')
await page.keyboard.type('swizzle', { delay: 20 })
const result = page.locator('.VPLocalSearchBox .result').first()
await result.waitFor({ timeout: 20000 }).catch(() => wrong.push('search: finds nothing'))
if (!wrong.length) {
  await page.keyboard.press('Enter')
  await page.waitForURL(url => url.pathname !== '/', { timeout: 20000 }).catch(() => wrong.push('search: leads nowhere'))
}

// What stands in frames is light or dark as the site's switch says, whatever the system says.
let frames = 0
for (const name of pages) {
  await page.goto(`${home}/${name}`, { waitUntil: 'networkidle' })
  for (const frame of await page.locator('.frame iframe').all()) {
    await frame.scrollIntoViewIfNeeded()
    const root = frame.contentFrame().locator(':root')
    for (const theme of [/light/, /dark/]) {
      const is = await root.getAttribute('data-theme', { timeout: 20000 })
      if (!theme.test(is)) wrong.push(`${name}: the frame is ${is}, the site ${theme.source}`)
      await page.locator('.VPSwitchAppearance').first().click()
    }
    frames += 1
  }
}

await browser.close()
server.close()
console.log(wrong.length ? [...new Set(wrong)].join('\n') : `${views} views and ${frames} frames, nothing wrong`)
process.exit(wrong.length ? 1 : 0)
