/** The Worker serves documents of the build: each equals, to the byte, the document that the code generates. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { everyDocument, libraryOf } from '../../src/docs/generate.ts'
import type { DocumentName, Reader } from '../../src/docs/published.ts'
import { publishedDocuments } from '../../src/http/pages.ts'
import { writeDocuments } from '../../src/local/published.ts'
import { resources } from '../../src/resources/index.ts'
import { apiVersionNamed, apiVersions } from '../../src/versions/index.ts'

const directory = mkdtempSync(join(tmpdir(), 'published-'))
beforeAll(() => writeDocuments(directory), 60_000)
afterAll(() => rmSync(directory, { recursive: true, force: true }))

const asked: string[] = []

/** Files as the platform keeps them. */
const ASSETS = {
  async fetch(url: string) {
    const { pathname } = new URL(url)
    asked.push(pathname)
    try {
      const text = readFileSync(join(directory, decodeURIComponent(pathname)), 'utf8')
      return new Response(text, { headers: { etag: `"${pathname}"` } })
    } catch {
      return new Response(null, { status: 404 })
    }
  },
}
const settings = { DATABASE_URL: 'postgresql://app@db.test/x', ENVIRONMENT: 'local' }
const made = libraryOf(resources)
const kept = publishedDocuments()({ ...settings, ASSETS })
const today = apiVersionNamed('2026-10')
const reader: Reader = { apiVersion: today, origin: 'https://acme.example', everyName: false }

test('every document of every version is the same, kept and made, on whatever host', async () => {
  const all = everyDocument(resources, apiVersions)
  expect(all.length).toBeGreaterThan(200)
  for (const { name, reader } of all) {
    for (const origin of ['https://acme.example', 'http://globex.localhost:8787']) {
      const of = { ...reader, origin }
      const [here, there] = [await kept(name, of), await made(name, of)]
      expect(here?.text() === there?.text(), `${name} of ${reader.apiVersion.version.name}`).toBe(true)
      expect(here?.text()).not.toContain('origin.invalid')
    }
  }
})

test('every type of the code has its documents, for readers with and without a version', async () => {
  const types = [...resources.map(({ shape }) => shape.type), 'Entrypoint', 'Error', 'ConstraintViolation']
  for (const type of types) {
    for (const everyName of [false, true]) {
      const context = await kept(`context-${type}`, { ...reader, everyName })
      expect(JSON.parse(context?.text() ?? 'null'), type).toHaveProperty('@context')
    }
  }
})

test.each([
  'context-Nothing',
  'context-',
  'context-../2026-10-openapi',
  'context-%2e%2e',
  'context-toString',
])('%s is nothing, kept or made', async (name) => {
  expect(await kept(name as DocumentName, reader)).toBe(null)
  expect(await made(name as DocumentName, reader)).toBe(null)
})

test('a document is read once, whatever the hosts that ask for it, and all of them are small enough to keep', async () => {
  const fresh = publishedDocuments()({ ...settings, ASSETS })
  asked.length = 0
  for (const name of ['context-Product', 'openapi'] as const) {
    await fresh(name, reader)
    await fresh(name, { ...reader, origin: 'https://globex.example' })
  }
  expect(asked).toEqual(['/published/2026-10-context-Product.json', '/published/2026-10-openapi.json'])
  const files = readdirSync(join(directory, 'published'))
  const bytes = files.map((each) => statSync(join(directory, 'published', each)).size)
  expect(bytes.reduce((sum, each) => sum + each, 0)).toBeLessThan(11_100_000)
})

test('a document has another tag on another host and in another version', async () => {
  const others = [
    reader,
    { ...reader, origin: 'https://globex.example' },
    { ...reader, apiVersion: apiVersionNamed('2026-01') },
  ]
  for (const library of [made, kept]) {
    const tags = await Promise.all(others.map(async (each) => (await library('hydra', each))?.tag))
    expect(new Set(tags).size).toBe(3)
  }
})

test('without a build the Worker reports a failure, not a missing document', async () => {
  const empty = { fetch: async () => new Response(null, { status: 404 }) }
  await expect(publishedDocuments()({ ...settings, ASSETS: empty })('openapi', reader)).rejects.toThrow(
    'npm run build',
  )
  await expect(publishedDocuments()(settings)('context-Product', reader)).rejects.toThrow('ASSETS')
  const broken = { fetch: async () => new Response(null, { status: 500 }) }
  await expect(
    publishedDocuments()({ ...settings, ASSETS: broken })('context-Product', reader),
  ).rejects.toThrow('500')
})
