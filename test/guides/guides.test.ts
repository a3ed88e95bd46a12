/** Each guide page works: its requests, also as curl, TypeScript and Python, and its programs, from top to bottom. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readPages } from '../../src/local/guides/pages.ts'
import { runPage } from './run.ts'
import { type GuideService, startGuideService } from './service.ts'

let service: GuideService
beforeAll(async () => {
  service = await startGuideService()
})
afterAll(() => service?.close())

test.concurrent.each(readPages().map((page) => [page.slug, page] as const))(
  '%s',
  { timeout: 300_000 },
  async (_, page) => {
    expect((await runPage(page, service)).join('\n\n')).toBe('')
  },
)

test('a page with mistakes fails with the place, the expected and the actual value of each', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'broken-guide-'))
  writeFileSync(join(directory, 'broken.md'), broken)
  try {
    const [page] = readPages(directory)
    const found = (await runPage(page!, service)).map((finding) => finding.replace(/(?:\n|\{")[\s\S]*/, ''))
    expect(found).toEqual([
      'src/guides/broken.md:11: /member/0/title: expected "Copper lamp", was "Brass desk lamp"',
      'src/guides/broken.md:15: no earlier request keeps product',
      'src/guides/broken.md:19: expected 201, was 404: ',
      'src/guides/broken.md:23: exit code 3: ',
      'src/guides/broken.md:31: the output has no line “third” in this order:',
      'src/guides/broken.md:36: “mermaid” is no kind of block',
    ])
  } finally {
    rmSync(directory, { recursive: true })
  }
})

const broken = `---
title: Broken
reader: shop
summary: Each block fails.
order: 1
---

\`\`\`http
GET /api/products?handle=brass-desk-lamp
\`\`\`
\`\`\`json
{ "member": [{ "title": "Copper lamp", "handle": "…lamp" }] }
\`\`\`

\`\`\`http
GET {{product}}
\`\`\`

\`\`\`http status=201
GET /api/nothing
\`\`\`

\`\`\`sh
exit 3
\`\`\`

\`\`\`sh
echo first; echo second
\`\`\`

\`\`\`text
first
third
\`\`\`

\`\`\`mermaid
\`\`\`
`
