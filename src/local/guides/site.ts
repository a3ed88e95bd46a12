/** Renders the guide pages as HTML, as Markdown, as an index for their search and as `/llms.txt`. */
import { cpSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { Marked, type Token, type Tokens } from 'marked'
import { guidesDirectory, type Page, readers, readPages } from './pages.ts'
import { curlOf, isRequest, parseRequest, pythonOf, typescriptOf } from './requests.ts'

const require = createRequire(import.meta.url)
/** Its types would add those of browsers to all code. */
const hljs: { highlight(text: string, options: { language: string }): { readonly value: string } } =
  require('highlight.js')

/** Writes all files of the guide pages into a folder. */
export function writeGuides(to: string): void {
  mkdirSync(to, { recursive: true })
  const pages = readPages()
  const write = (name: string, text: string) => writeFileSync(join(to, name), text)
  for (const page of pages) {
    write(`${page.slug}.html`, pageHtml(page, pages))
    write(`${page.slug}.md`, `# ${page.title}\n\n> ${page.summary}\n\n${page.text}\n`)
  }
  write('index.html', indexHtml(pages))
  write('search.json', JSON.stringify(pages.flatMap(sectionsOf)))
  write('llms.txt', llmsText(pages))
  for (const name of globSync('*.svg', { cwd: guidesDirectory }))
    cpSync(join(guidesDirectory, name), join(to, name))
}

const addressOf = ({ slug }: Page) => `/docs/guides/${slug}`

const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
const escaped = (text: string) => text.replaceAll(/[&<>"]/g, (found) => escapes[found]!)

/** The text of inline Markdown without its marks. */
function plain(tokens: readonly Token[]): string {
  return tokens
    .map((each) => ('tokens' in each && each.tokens ? plain(each.tokens) : 'text' in each ? each.text : ''))
    .join('')
}

/** The name of a heading in addresses, as GitHub gives it. */
const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
    .replaceAll(' ', '-')

const marked = new Marked({
  renderer: {
    heading({ tokens, depth }) {
      const anchor = anchorOf(plain(tokens))
      return `<h${depth} id="${anchor}">${this.parser.parseInline(tokens)} <a class="anchor" href="#${anchor}" aria-label="Link to this section">#</a></h${depth}>\n`
    },
    code: ({ text, lang = '' }) => codeHtml(lang, text),
    // With its size, the text below does not move when the picture arrives.
    image({ href, text }) {
      const [, width, height] =
        /viewBox="0 0 (\S+) (\S+)"/.exec(readFileSync(join(guidesDirectory, href), 'utf8')) ?? []
      return `<img src="${href}" alt="${escaped(text)}" width="${width}" height="${height}">`
    },
    table(token) {
      const row = (cells: readonly Tokens.TableCell[], name: 'th' | 'td') =>
        `<tr>${cells.map(({ tokens }) => `<${name}>${this.parser.parseInline(tokens)}</${name}>`).join('')}</tr>`
      const rows = token.rows.map((cells) => row(cells, 'td')).join('\n')
      return `<div class="wide" tabindex="0"><table><thead>${row(token.header, 'th')}</thead><tbody>${rows}</tbody></table></div>\n`
    },
  },
})

/** A block of code. A request has a variant for each language, of which the page shows the chosen one. */
function codeHtml(info: string, code: string): string {
  const [language = ''] = info.split(' ')
  if (!isRequest(info))
    return figure(language, info.startsWith('json ') ? 'JSON' : (labels[language] ?? ''), code)
  const request = parseRequest(info, code)
  const variants = { http: code, curl: curlOf(request), ts: typescriptOf(request), python: pythonOf(request) }
  const note = request.scopes ? `<p class="note">The token has only: ${request.scopes.join(', ')}.</p>` : ''
  const figures = Object.entries(variants).map(([name, text]) => figure(name, labels[name]!, text, 'variant'))
  return `<div class="request">${note}${figures.join('')}</div>\n`
}

const languages: Readonly<Record<string, string>> = {
  ...{ http: 'http', json: 'json', sh: 'bash', curl: 'bash', ts: 'typescript', python: 'python', sql: 'sql' },
}

const labels: Readonly<Record<string, string>> = {
  ...{ http: 'HTTP', curl: 'curl', ts: 'TypeScript', python: 'Python' },
  ...{ json: 'Response', sh: 'Shell', sql: 'SQL', text: 'Output' },
}

function figure(language: string, label: string, code: string, kind = ''): string {
  const text = code.trimEnd()
  const known = languages[language]
  const html = known ? hljs.highlight(text, { language: known }).value : escaped(text)
  return `<figure class="code ${kind}" data-language="${language}"><figcaption>${label}</figcaption><pre tabindex="0"><code>${html}</code></pre></figure>`
}

type Section = {
  readonly title: string
  readonly heading: string
  readonly href: string
  readonly text: string
}

/** The parts of a page that the search finds: its beginning, and each `##`. */
function sectionsOf(page: Page): Section[] {
  const sections = [{ title: page.title, heading: '', href: addressOf(page), text: page.summary }]
  for (const token of marked.lexer(page.text)) {
    if (token.type === 'heading') {
      const heading = plain(token.tokens ?? [])
      sections.push({ title: page.title, heading, href: `${addressOf(page)}#${anchorOf(heading)}`, text: '' })
    } else if (token.type !== 'code' && token.type !== 'space') {
      sections.at(-1)!.text += ` ${token.raw.replaceAll(/[*`|]|\]\([^)]*\)|\[|<[^>]*>|\s+/g, ' ').trim()}`
    }
  }
  return sections
}

function pageHtml(page: Page, pages: readonly Page[]): string {
  const series = pages.filter(({ reader }) => reader === page.reader)
  const place = series.indexOf(page)
  const headings = sectionsOf(page).filter(({ heading }) => heading !== '')
  const contents = headings.map(({ heading, href }) => `<li><a href="${href}">${escaped(heading)}</a></li>`)
  const neighbour = (other: Page | undefined, rel: string, label: string) =>
    other
      ? `<a rel="${rel}" href="${addressOf(other)}"><small>${label}</small> ${escaped(other.title)}</a>`
      : '<span></span>'
  return documentHtml(
    page.title,
    `<nav class="series" aria-label="${readers[page.reader]}">
<h2>${readers[page.reader]}</h2>
${listOf(series, page)}
</nav>
<main id="text">
<p class="about"><span>${readers[page.reader]}</span> <a href="${addressOf(page)}.md" type="text/markdown">Markdown</a></p>
<h1>${escaped(page.title)}</h1>
<p class="summary">${escaped(page.summary)}</p>
${contents.length > 1 ? `<nav class="contents" aria-label="On this page"><h2>On this page</h2><ul>${contents.join('')}</ul></nav>` : ''}
<article>
${marked.parse(page.text)}</article>
<nav class="neighbours" aria-label="Series">${neighbour(series[place - 1], 'prev', 'Previous')}${neighbour(series[place + 1], 'next', 'Next')}</nav>
</main>`,
    `<link rel="alternate" type="text/markdown" href="${addressOf(page)}.md">
    <meta name="description" content="${escaped(page.summary)}">`,
  )
}

function listOf(pages: readonly Page[], current?: Page): string {
  const items = pages.map(
    (page) =>
      `<li><a href="${addressOf(page)}"${page === current ? ' aria-current="page"' : ''}>${escaped(page.title)}</a>${current ? '' : ` <span>${escaped(page.summary)}</span>`}</li>`,
  )
  return `<ol>${items.join('\n')}</ol>`
}

/** The pages of each reader who has some. */
const seriesOf = (pages: readonly Page[]) =>
  Object.entries(readers).flatMap(([reader, title]) => {
    const own = pages.filter((page) => page.reader === reader)
    return own.length > 0 ? [{ title, own }] : []
  })

function indexHtml(pages: readonly Page[]): string {
  const series = seriesOf(pages).map(({ title, own }) => `<section><h2>${title}</h2>${listOf(own)}</section>`)
  return documentHtml(
    'Guides',
    `<main id="text" class="index">\n<h1>Guides</h1>\n${series.join('\n')}\n</main>`,
    '<meta name="description" content="Guides for shops, integrators, operators and contributors, with requests that run as printed.">',
  )
}

function documentHtml(title: string, body: string, head = ''): string {
  return `<!doctype html>
<html lang="en" data-language="http">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>${escaped(title)} · Product catalogue</title>
    <link rel="icon" href="/docs/icon.svg">
    <link rel="stylesheet" href="/docs/guides.css">
    <script src="/docs/guides.js"></script>
    ${head}
  </head>
  <body>
    <a class="skip" href="#text">Skip to the text</a>
    <header>
      <a href="/docs/guides">Guides</a>
      <nav aria-label="Pages"><a href="/docs">API reference</a> <a href="/admin">Admin</a></nav>
      <search hidden>
        <input type="search" aria-label="Search the guides" placeholder="Search" autocomplete="off">
        <output></output>
        <ol></ol>
      </search>
      <button id="theme" type="button" hidden>Dark</button>
    </header>
    <div class="page">
${body}
    </div>
  </body>
</html>
`
}

/** `/llms.txt` in the format of llmstxt.org. */
function llmsText(pages: readonly Page[]): string {
  const lines = seriesOf(pages).map(
    ({ title, own }) =>
      `## ${title}\n\n${own.map((page) => `- [${page.title}](${addressOf(page)}.md): ${page.summary}`).join('\n')}\n`,
  )
  return `# Product catalogue

> A catalogue service of one shop: products, variants, prices by channel, country and time, categories, and a feed of all changes, over HTTP.

Each tenant has its own host. Requests need an access token in the header Authorization, except for the documents below.

${lines.join('\n')}
## Reference

- [OpenAPI document](/api/openapi.json): every operation, schema, problem and webhook
- [Hydra documentation](/api/docs.jsonld): the same for clients of linked data
- [Entry point](/api): the collections of the catalogue
`
}
