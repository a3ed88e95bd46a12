/** The guide pages as files: their links, headings and sentences, and what is built from them. test/guides runs them. */
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { guidesDirectory, readPages } from '../../src/local/guides/pages.ts'
import { writeGuides } from '../../src/local/guides/site.ts'

const pages = readPages()
const directory = mkdtempSync(join(tmpdir(), 'guide-files-'))
afterAll(() => rmSync(directory, { recursive: true, force: true }))
writeGuides(directory)
const built = (name: string) => readFileSync(join(directory, name), 'utf8')

/** The text of a page without its blocks of code. */
const proseOf = (text: string) => text.replaceAll(/^```[\s\S]*?^```$/gm, '')

test('each link of the guides and of the guide in OpenAPI leads to a page, and to a heading of it', () => {
  const guide = globSync('../docs/guide/*.md', { cwd: guidesDirectory }).map((file) => ({
    file,
    text: readFileSync(join(guidesDirectory, file), 'utf8'),
    slug: '',
  }))
  const dead = [...pages, ...guide].flatMap(({ file, text, slug }) =>
    [...proseOf(text).matchAll(/\]\((?!<?https?:)([^)#\s]*)(?:#([^)\s]*))?\)/g)].flatMap(
      ([link, path = '', anchor]) => {
        if (path !== '' && !path.startsWith('/docs/guides'))
          return path.startsWith('/') || existsSync(join(guidesDirectory, path)) ? [] : [`${file}: ${link}`]
        const target = path === '' ? slug : path.replace(/^\/docs\/guides\/?/, '')
        const name = target === '' ? 'index.html' : target.endsWith('.md') ? target : `${target}.html`
        const isThere = existsSync(join(directory, name))
        return isThere && (anchor === undefined || built(name).includes(` id="${anchor}"`))
          ? []
          : [`${file}: ${link}`]
      },
    ),
  )
  expect(dead).toEqual([])
})

test.each(pages.map((page) => [page.slug, page] as const))(
  '%s: each heading is once, and no sentence is long',
  (_, page) => {
    const headings = [...proseOf(page.text).matchAll(/^#+ (.*)$/gm)].map(([, heading]) => heading!)
    expect(headings).toEqual([...new Set(headings)])
    expect(headings.filter((heading) => heading.startsWith('# '))).toEqual([])
    const sentences = [page.summary, ...proseOf(page.text).split(/\n/)]
      // Generated tables have the words of acts.
      .filter((line) => !line.startsWith('|') && !line.startsWith('!['))
      .flatMap((line) => line.replaceAll(/`[^`]*`/g, 'code').split(/(?<=[.!?:])\**\s/))
    expect(sentences.filter((sentence) => sentence.split(/\s+/).length > 30)).toEqual([])
    expect(page.summary.split(' ').length).toBeLessThanOrEqual(25)
  },
)

test('titles are unique', () => {
  expect(new Set(pages.map(({ title }) => title)).size).toBe(pages.length)
})

test('each page is HTML and Markdown, and /llms.txt lists it in the format of llmstxt.org', () => {
  const [title, empty, summary, ...lines] = built('llms.txt').split('\n')
  expect([title, empty]).toEqual(['# Product catalogue', ''])
  expect(summary).toMatch(/^> .+/)
  const listed = lines.filter((line) => line.startsWith('- '))
  for (const line of listed) expect(line).toMatch(/^- \[[^\]]+\]\(\/[^)]*\): .+$/)
  for (const { slug, title, summary, text } of pages) {
    expect(listed).toContain(`- [${title}](/docs/guides/${slug}.md): ${summary}`)
    expect(built(`${slug}.md`)).toBe(`# ${title}\n\n> ${summary}\n\n${text}\n`)
    expect(built('index.html')).toContain(`href="/docs/guides/${slug}"`)
  }
})

test('a page runs no script of its own, and loads nothing from other hosts', () => {
  for (const { slug } of pages) {
    const html = built(`${slug}.html`)
    expect(html.match(/<script[^>]*>/g)).toEqual(['<script src="/docs/guides.js">'])
    expect(html.match(/ (?:src|on\w+|style)="(?!\/docs\/guides\.js|[\w-]+\.svg")[^"]*"/g)).toBeNull()
    expect(html.match(/<link [^>]*href="https?:/g)).toBeNull()
  }
})

test('each request is shown for HTTP, curl, TypeScript and Python', () => {
  const requests = pages.flatMap(({ blocks }) => blocks.filter(({ request }) => request))
  const count = (pattern: RegExp) =>
    pages.reduce((sum, { slug }) => sum + (built(`${slug}.html`).match(pattern)?.length ?? 0), 0)
  expect(requests.length).toBeGreaterThan(10)
  for (const language of ['http', 'curl', 'ts', 'python'])
    expect(count(new RegExp(`class="code variant" data-language="${language}"`, 'g'))).toBe(requests.length)
})
