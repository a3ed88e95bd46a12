/** The guide pages: `src/guides/*.md`, each with its front matter and its blocks of code. */
import { globSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import * as z from 'zod'
import { policyTable } from './policies.ts'
import { type GuideRequest, isRequest, parseRequest } from './requests.ts'

/** The folder of the pages and their pictures. */
export const guidesDirectory = fileURLToPath(new URL('../../guides', import.meta.url).href)

/** The readers of the pages, each with the title of their series. */
export const readers = {
  shop: 'For shop developers',
  integrator: 'For integrators',
  operator: 'For operators',
  contributor: 'For contributors',
} as const

const front = z.strictObject({
  title: z.string(),
  reader: z.enum(['shop', 'integrator', 'operator', 'contributor']),
  summary: z.string(),
  order: z.coerce.number(),
})

export type Page = z.infer<typeof front> & {
  /** The last part of its address. */
  readonly slug: string
  /** `src/guides/webhooks.md` */
  readonly file: string
  /** The Markdown below the front matter, with its generated tables. */
  readonly text: string
  readonly blocks: readonly Block[]
}

/** A fenced block of code. */
type Block = {
  /** Null unless it is a request. */
  readonly request: GuideRequest | null
  /** Of its first fence in the file. */
  readonly line: number
  /** `http keep product=@id` */
  readonly info: string
  readonly code: string
}

/** All pages: by reader, then by their order. @throws Error for a page with an invalid front matter */
export function readPages(directory = guidesDirectory): Page[] {
  const order = Object.keys(readers)
  return globSync('*.md', { cwd: directory })
    .map((name) => pageOf(name, readFileSync(`${directory}/${name}`, 'utf8')))
    .toSorted(
      (a, b) =>
        order.indexOf(a.reader) - order.indexOf(b.reader) ||
        a.order - b.order ||
        a.slug.localeCompare(b.slug),
    )
}

function pageOf(name: string, content: string): Page {
  const file = `src/guides/${name}`
  const [whole = '', head = ''] = /^---\n(.*?)\n---\n/s.exec(content) ?? []
  const members = [...head.matchAll(/^(\w+): +(.*?)(?: +#.*)?$/gm)].map(([, key, value]) => [key, value])
  const { data, error } = front.safeParse(Object.fromEntries(members))
  if (error) throw new Error(`${file}: front matter: ${z.prettifyError(error)}`)
  const blocks = blocksOf(content, file)
  const text = content
    .slice(whole.length)
    .trim()
    .replace(/^The table of all countries is on this page .*$/m, policyTable)
  return { ...data, slug: basename(name, '.md'), file, text, blocks }
}

function blocksOf(content: string, file: string): Block[] {
  return [...content.matchAll(/^```(.*)\n([\s\S]*?)^```$/gm)].map(({ index, 1: info = '', 2: code = '' }) => {
    const line = content.slice(0, index).split('\n').length
    try {
      return { line, info, code, request: isRequest(info) ? parseRequest(info, code) : null }
    } catch (error) {
      throw new Error(`${file}:${line}: ${(error as Error).message}`)
    }
  })
}
