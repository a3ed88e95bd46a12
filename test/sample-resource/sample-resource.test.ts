/**
 * A resource is one folder, one line in the catalogue, one migration, a function that saves its rows, the line that locks them, and
 * translated messages. A copy of the tree gets those of `brands` and nothing else, and passes what every resource has to pass; with a
 * part of them missing it fails.
 */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import messages from './messages.json' with { type: 'json' }
import { copyTree, type Tree } from './tree.ts'

const here = import.meta.dirname
const folder = 'src/resources/brands'
const catalogue = 'src/resources/catalogue.ts'
const samples = 'test/samples/brands.ts'
/** The lines that each file of translations gets. */
const translations = Object.entries(messages).map(([locale, texts]): [string, string[]] => [
  `src/messages/${locale}.json`,
  Object.entries(texts).map(([slug, text]) => `  ${JSON.stringify(slug)}: ${JSON.stringify(text)},`),
])
const saveFunction = 'migrations/functions/22_save_brands.sql'
const writeFunctions = 'migrations/functions/20_write.sql'
const lockLine =
  "      when 'brands' then select version into stored from brands where tenant_id = tenant and id = item.id for no key update;"
const migration = `migrations/${nextNumber()}_brands.sql`

let tree: Tree
beforeAll(() => {
  tree = copyTree()
  for (const file of globSync('brands/*.ts', { cwd: here }))
    tree.write(`src/resources/${file}`, readFileSync(join(here, file), 'utf8'))
  tree.write(samples, readFileSync(join(here, 'samples.ts'), 'utf8'))
  tree.write(migration, readFileSync(join(here, 'brands.sql'), 'utf8'))
  tree.write(saveFunction, readFileSync(join(here, 'save_brands.sql'), 'utf8'))
  edit(writeFunctions, '    case item.kind\n', (line) => `${line}${lockLine}\n`)
  edit(
    catalogue,
    "import { resource as categories } from './categories/operations.ts'\n",
    (line) => `import { resource as brands } from './brands/operations.ts'\n${line}`,
  )
  edit(catalogue, '  products,\n', (line) => `${line}  brands,\n`)
  for (const [file, lines] of translations) edit(file, '{\n', (start) => `${start}${lines.join('\n')}\n`)
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
    [writeFunctions, [lockLine]],
    [saveFunction, 'new'],
    ...translations.toSorted(),
    [catalogue, ["import { resource as brands } from './brands/operations.ts'", '  brands,']],
    [samples, 'new'],
  ])
})

test('its types fit, and do not without the name of a scope that reads it', async () => {
  const schema = tree.read(`${folder}/schema.ts`)!
  const faulty = `${folder}/faulty-schema.ts`
  tree.write(faulty, schema.replace(/^ {2}readWith: .*\n/m, ''))
  try {
    const { output } = await tree.types()
    const faults = output.split('\n').filter((line) => /: error /.test(line))
    expect(faults).toEqual([expect.stringContaining(`${faulty}(`)])
    expect(output).toMatch(/'readWith' is missing/)
  } finally {
    tree.write(faulty, undefined)
  }
}, 300_000)

test('it is in everything that is derived from the resources', async () => {
  const { passed, output } = await tree.tests([
    'test/architecture.test.ts',
    'test/schema.test.ts',
    'test/serving-migrations.test.ts',
    'test/isolation/catalogue.test.ts',
    'test/documents/hydra.test.ts',
    'test/protocol/error-codes.test.ts',
    'test/sight/scopes.test.ts',
    'src/core/problems/problems.test.ts',
  ])
  expect(passed, output).toBe(true)
}, 300_000)

test('its operations, topics and scopes pass the rules of each', async () => {
  const { passed, output } = await tree.tests(
    [
      'test/contract.test.ts',
      'test/checklist/promises.test.ts',
      'test/documents/openapi.test.ts',
      'test/sight/sight.test.ts',
      'src/resources/events/events.test.ts',
      'src/resources/webhooks/deliveries/webhook-deliveries.test.ts',
    ],
    '[Bb]rand|every kind|one kind alone|webhook topics|every scope that the topic takes',
  )
  expect(passed, output).toBe(true)
  // A name that matches nothing passes too.
  expect(output).toMatch(/Tests +\d{3,} passed/)
}, 300_000)

type Fault = {
  readonly file: string
  /** The file with the fault; undefined where it is gone. */
  readonly broken: (text: string) => string | undefined
  /** The test that fails, and what it says. */
  readonly test: string
  readonly name: string
  readonly reason: RegExp
}

const problems = 'src/core/problems/problems.test.ts'
const line: Fault = {
  file: catalogue,
  broken: (text) => text.replace('  brands,\n', ''),
  test: problems,
  name: 'what the problems of a resource declare is in the catalogue',
  reason: /"brand\.not_found"/,
}
/** None of them hides another. */
const others: Readonly<Record<string, Fault>> = {
  'its migration': {
    file: migration,
    broken: () => undefined,
    test: 'test/schema.test.ts',
    name: 'every declared table has the columns that the migrations made',
    reason: /"brands": undefined/,
  },
  'sample calls of its operations': {
    file: samples,
    broken: () => undefined,
    test: 'test/contract.test.ts',
    name: 'GET /api/brands without a token',
    reason: /no sample for listBrands/,
  },
  'the function that saves its rows': {
    file: saveFunction,
    broken: () => undefined,
    test: 'test/schema.test.ts',
    name: 'each save function writes every column of its declared table',
    reason: /"brands"/,
  },
  'the line that locks its rows': {
    file: writeFunctions,
    broken: (text) => text.replace(`${lockLine}\n`, ''),
    test: 'test/schema.test.ts',
    name: 'locks the rows of every resource',
    reason: /"brands"/,
  },
  'error codes of its own': {
    file: `${folder}/problems.ts`,
    broken: (text) => text.replace('BRD-1002', 'PRD-1001'),
    test: problems,
    name: 'codes are unique',
    reason: /"PRD-1001"/,
  },
  'a scope that reads it': {
    file: `${folder}/schema.ts`,
    broken: (text) => text.replace("readWith: 'brands:read'", 'readWith: null'),
    test: 'test/sight/scopes.test.ts',
    name: 'what reads a kind of resource',
    reason: /"brands:read"/,
  },
}

/** The message of each test that fails with these faults in the copy, by the test's name. */
async function failuresWith(faults: readonly Fault[]): Promise<Readonly<Record<string, string>>> {
  const whole = faults.map(({ file }) => tree.read(file)!)
  for (const [index, { file, broken }] of faults.entries()) tree.write(file, broken(whole[index]!))
  try {
    const files = [...new Set(faults.map((each) => each.test))]
    return await tree.failures(files, faults.map(({ name }) => name).join('|'))
  } finally {
    for (const [index, { file }] of faults.entries()) tree.write(file, whole[index])
  }
}

test('it fails without its line', async () => {
  const failures = Object.entries(await failuresWith([line]))
  expect(failures).toEqual([[expect.stringContaining(line.name), expect.stringMatching(line.reason)]])
}, 300_000)

describe('it fails without', () => {
  let failures: Readonly<Record<string, string>>
  beforeAll(async () => {
    failures = await failuresWith(Object.values(others))
  }, 300_000)

  test.each(Object.entries(others))('%s', (_, { name, reason }) => {
    const own = Object.entries(failures).filter(([failed]) => failed.includes(name))
    expect(own).toEqual([[expect.anything(), expect.stringMatching(reason)]])
  })
})
