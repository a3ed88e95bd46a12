/** Each guide page works: its requests, also as curl, TypeScript and Python, and its programs, from top to bottom. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readPages } from '../../src/local/guides/pages.ts'
import { startProgram } from './programs.ts'
import { runPage } from './run.ts'
import { type GuideService, root, startGuideService } from './service.ts'

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

/** Runs a page that is not in the tree. */
async function runText(text: string): Promise<string[]> {
  const directory = mkdtempSync(join(tmpdir(), 'guide-text-'))
  writeFileSync(join(directory, 'page.md'), text)
  try {
    const [page] = readPages(directory)
    return await runPage(page!, service)
  } finally {
    rmSync(directory, { recursive: true })
  }
}

test('the tour of the README runs as printed, in another tenant', async () => {
  const readme = readFileSync(join(root, 'README.md'), 'utf8')
  const tour = readme
    .split('```sh\n')
    .find((block) => block.startsWith('SHOP='))!
    .split('```')[0]!
  const tenant = await service.openTenant()
  try {
    const variables = { ...service.variables, ADDRESS: tenant.origin, TENANT: tenant.name }
    const here = tour
      .replace('http://localhost:8787', '$ADDRESS')
      .replace('--tenant acme', '--tenant $TENANT')
    expect(here).not.toMatch(/localhost|acme/)
    const PATH = `${join(process.execPath, '..')}:${process.env.PATH}`
    const program = startProgram('bash', ['-e', '-o', 'pipefail', '-c', here], { ...variables, PATH })
    expect(await program.exited, program.output()).toBe(0)
    const [prices, priorPrices, created, changed, refused, history] = program
      .printed()
      .trim()
      .split(/\n+(?=\{)/)
      .map((text) => JSON.parse(text))
    expect(prices.member[0].variants[0].resolvedPrice.amount).toBe('105.00')
    expect(priorPrices.member[0].variants[0].resolvedPrice.priorPrice.amount).toBe('69.00')
    expect(created).toMatchObject({ title: 'Rain jacket', version: 1 })
    expect(changed).toMatchObject({ status: 'ACTIVE', version: 2 })
    expect(refused).toMatchObject({ status: 412 })
    expect(history.member.map(({ topic }: { topic: string }) => topic)).toEqual([
      'product/created',
      'product/updated',
    ])
  } finally {
    tenant.close()
  }
})

test('a page with mistakes fails with the place, the expected and the actual value of each', async () => {
  const found = await runText(broken)
  expect(found.map((finding) => finding.replace(/(?:\n|\{")[\s\S]*/, ''))).toEqual([
    'src/guides/page.md:11: /member/0/title: expected "Copper lamp", was "Brass desk lamp"',
    'src/guides/page.md:15: no earlier request keeps product',
    'src/guides/page.md:19: expected 201, was 404: ',
    'src/guides/page.md:23: exit code 3: ',
    'src/guides/page.md:31: the output has no line “third” in this order:',
    'src/guides/page.md:36: “mermaid” is no kind of block',
  ])
})

test('each language sends the same text: quotes, dollars, braces, backslashes, accents', async () => {
  expect(await runText(special)).toEqual([])
})

const head = `---
title: Title
reader: shop
summary: A summary.
order: 1
---
`

const text = String.raw`L'été $HOME \u00e9 \\ \"quoted\" {brace} 100 % ☕`
const special = `${head}
\`\`\`http keep id=id product=@id tag=header:ETag
POST /api/products
Service-Locale: fr-FR

{ "title": "${text}", "vendor": null, "channels": ["web"] }
\`\`\`

\`\`\`http keep tag=header:ETag
PATCH {{product}}?properties[]=title
  &properties[]=tags
If-Match: {{tag}}

{ "title": "\`{{id}}\` ${text}", "tags": ["a", "true", "{{id}}"] }
\`\`\`

\`\`\`json
{ "title": "…{brace} 100 % ☕", "tags": ["…", "…"] }
\`\`\`

\`\`\`http status=404 token=products:read
GET /api/products/{{id}}x
\`\`\`

\`\`\`http keep tag=header:etag
GET {{product}}
\`\`\`

\`\`\`http status=304
GET {{product}}
If-None-Match: {{tag}}
\`\`\`

\`\`\`http status=204
DELETE {{product}}
\`\`\`
`

const broken = `${head}
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
