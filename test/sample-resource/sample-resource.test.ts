/**
 * A resource is one folder, one line in the catalogue and one migration. A copy of the tree gets those of `brands` and nothing
 * else, and passes what every resource has to pass; with a part of them missing it fails.
 */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { copyTree, type Tree } from './tree.ts'

const here = import.meta.dirname
const folder = 'src/resources/brands'
const catalogue = 'src/resources/catalogue.ts'
const migration = `migrations/${nextNumber()}_brands.sql`

let tree: Tree
beforeAll(() => {
  tree = copyTree()
  for (const file of globSync('brands/*.ts', { cwd: here }))
    tree.write(`src/resources/${file}`, readFileSync(join(here, file), 'utf8'))
  tree.write(migration, readFileSync(join(here, 'brands.sql'), 'utf8'))
  edit(
    catalogue,
    "import { resource as categories } from './categories/operations.ts'\n",
    (line) => `import { resource as brands } from './brands/operations.ts'\n${line}`,
  )
  edit(catalogue, '  products,\n', (line) => `${line}  brands,\n`)
})
afterAll(() => tree.remove())

function nextNumber(): string {
  const numbers = globSync('*.sql', { cwd: join(here, '../../migrations') }).map((each) =>
    Number.parseInt(each, 10),
  )
  return String(Math.max(...numbers) + 1).padStart(4, '0')
}

/** Changes a part of a file of the copy, which must be there. */
function edit(file: string, part: string, change: (part: string) => string): void {
  const text = tree.read(file)
  if (!text?.includes(part)) throw new Error(`${file} has no ${part}`)
  tree.write(file, text.replace(part, change))
}

test('a resource changes no other file', () => {
  const own = Object.entries(tree.difference()).filter(([file]) => !file.startsWith(`${folder}/`))
  expect(own).toEqual([
    [migration, 'new'],
    [catalogue, ["import { resource as brands } from './brands/operations.ts'", '  brands,']],
  ])
})

test('its types fit', async () => {
  const { passed, output } = await tree.types()
  expect(passed, output).toBe(true)
}, 300_000)

test('it is in everything that is derived from the resources', async () => {
  const { passed, output } = await tree.tests([
    'test/architecture.test.ts',
    'test/schema.test.ts',
    'test/isolation/catalogue.test.ts',
    'test/documents/hydra.test.ts',
    'test/protocol/error-codes.test.ts',
    'src/core/problems/problems.test.ts',
  ])
  expect(passed, output).toBe(true)
}, 300_000)

test('its operations, topics and scopes pass what is asked of each', async () => {
  const { passed, output } = await tree.tests(
    [
      'test/contract.test.ts',
      'test/checklist/promises.test.ts',
      'test/catalogue/whole-documents.test.ts',
      'test/documents/openapi.test.ts',
      'test/documents/answers.test.ts',
      'test/documents/json-ld.test.ts',
      'test/sight/sight.test.ts',
      'test/large/large.test.ts',
      'src/resources/events/events.test.ts',
      'src/resources/webhooks/deliveries/webhook-deliveries.test.ts',
    ],
    '[Bb]rand|what reads a kind|every kind|2026-10 every document|one kind alone|webhook topics|every scope that the topic takes',
  )
  expect(passed, output).toBe(true)
  // A name that matches nothing passes too.
  expect(output).toMatch(/Tests +\d{3,} passed/)
}, 300_000)

type Fault = {
  readonly file: string
  /** The file with the fault; undefined where it is gone. */
  readonly broken: (text: string) => string | undefined
  readonly reason: RegExp
  /** The test that fails; the types where there is none. */
  readonly test?: readonly [file: string, name?: string]
}

const problems = ['src/core/problems/problems.test.ts'] as const
const faults: Readonly<Record<string, Fault>> = {
  'its line': {
    file: catalogue,
    broken: (text) => text.replace('  brands,\n', ''),
    reason: /"brand\.not_found"/,
    test: problems,
  },
  'its migration': {
    file: migration,
    broken: () => undefined,
    reason: /"brands": undefined/,
    test: ['test/schema.test.ts'],
  },
  'sample calls of its operations': {
    file: `${folder}/samples.ts`,
    broken: () => undefined,
    reason: /no sample for listBrands/,
    test: ['test/contract.test.ts', 'GET /api/brands without a token'],
  },
  'error codes of its own': {
    file: `${folder}/problems.ts`,
    broken: (text) => text.replace('BRD-1002', 'PRD-1001'),
    reason: /"PRD-1001"/,
    test: problems,
  },
  'the name of a scope that reads it': {
    file: `${folder}/schema.ts`,
    broken: (text) => text.replace(/^ {2}readWith: .*\n/m, ''),
    reason: /'readWith' is missing/,
  },
  'a scope that reads it': {
    file: `${folder}/schema.ts`,
    broken: (text) => text.replace("readWith: 'brands:read'", 'readWith: null'),
    reason: /"brands:read"/,
    test: ['test/sight/sight.test.ts', 'what reads a kind of resource'],
  },
}

test.each(Object.entries(faults))(
  'it fails without %s',
  async (_, { file, broken, reason, test: failing }) => {
    const whole = tree.read(file)!
    tree.write(file, broken(whole))
    try {
      const { passed, output } = await (failing ? tree.tests([failing[0]], failing[1]) : tree.types())
      expect(passed, output).toBe(false)
      expect(output).toMatch(reason)
    } finally {
      tree.write(file, whole)
    }
  },
  300_000,
)
