/** The documents name only existing things. */
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { owner } from './support/ledger.ts'
import { runbook } from './support/runbooks.ts'

const root = join(import.meta.dirname, '..')
const read = (file: string) => readFileSync(join(root, file), 'utf8')
const readme = read('README.md')
const texts = ['README.md', 'test/platforms.md', ...globSync('.github/**/*.md', { cwd: root })].map(
  (file) => [file, read(file)] as const,
)

type Package = Partial<
  Record<'scripts' | 'dependencies' | 'devDependencies' | 'optionalDependencies', Record<string, string>>
>
const packages = ['package.json', 'src/client/package.json'].map((file) => JSON.parse(read(file)) as Package)

test.each(texts)('every npm script that %s names can be run', (_, text) => {
  const named = [...text.matchAll(/npm run (?:-s |--silent )?([\w:-]+)/g)].map(([, name]) => name!)
  expect(named.filter((name) => !(name in packages[0]!.scripts!))).toEqual([])
})

test('every npm script is described', () => {
  const pages = [readme, read('.github/docs/commands.md'), read('.github/CONTRIBUTING.md')].join('\n')
  const isNamed = (name: string) => new RegExp(`npm (run (-s )?)?${name}(?![\\w:])`).test(pages)
  const names = Object.keys(packages[0]!.scripts!)
  // npm runs `pretest` automatically before `test`.
  const asked = names.filter((name) => !(name.startsWith('pre') && names.includes(name.slice(3))))
  expect(asked.filter((name) => !isNamed(name))).toEqual([])
})

test('a fresh clone needs only two commands, and CI runs the documented ones', () => {
  expect(readme.split('```sh\n')[1]!.split('```')[0]).toBe('npm start\nnpm test\n')
  const { scripts } = packages[0]!
  for (const name of ['start', 'test', 'check']) expect(scripts![`pre${name}`]).toBe(scripts!.prestart)
  const ci = read('.ci/run')
  const run = [...ci.matchAll(/^checked (npm .+)$/gm)].map(([, command]) => command!.replaceAll("'", '"'))
  expect(run).toEqual([
    'npm run test:replay',
    'npm test -- --project "slow-*"',
    'npm run test:pages',
    'npm run test:large -- --short --rounds 1',
    'npm run test:faults -- --seeds 60',
  ])
  const contributing = read('.github/CONTRIBUTING.md')
  for (const command of run) expect(contributing).toContain(`\`${command}\``)
  const checks = /for name in (lint .+) build;/
    .exec(ci)?.[1]
    ?.split(' ')
    .map((name) => `npm run ${name}`)
  expect(scripts!.check!.split(' && ').slice(0, -1)).toEqual(checks)
})

test('a signal for npm reaches the command, and no shell between them', () => {
  const single = Object.entries(packages[0]!.scripts!).filter(([, line]) =>
    /^(?:exec )?(?:node|vitest) /.test(line),
  )
  const behind = single.filter(([name, line]) => !line.startsWith('exec ') && !name.startsWith('pre'))
  expect(behind.map(([name]) => name)).toEqual([])
})

test.each(texts)('every path that %s names leads somewhere', (_, text) => {
  const paths = [
    ...text.matchAll(/`((?:src|test|migrations|\.github)\/[^\s`]*|[\w.-]+\.(?:toml|json|md))`/g),
  ].map(([, path]) => path!)
  const there = (path: string) =>
    // Files that commands create are not in a fresh clone.
    /^test\/artefacts(?:\/|$)/.test(path) ||
    existsSync(join(root, path)) ||
    existsSync(join(root, '.github', path))
  expect(paths.filter((path) => !there(path))).toEqual([])
})

test.each(texts)('every link of %s leads to a file, and to a heading of it', (file, text) => {
  const links = [...text.matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]*))?\)/g)]
  const dead = links.filter(([, path, heading]) => {
    const target = path === '' ? file : join(dirname(file), path!)
    if (!existsSync(join(root, target))) return true
    return heading !== undefined && !anchorsOf(read(target)).includes(heading)
  })
  expect(dead.map(([link]) => link)).toEqual([])
})

/** The names that GitHub gives headings. */
function anchorsOf(text: string): string[] {
  const headings = [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading]) => heading!.toLowerCase())
  return headings.map((heading) => heading.replace(/[^\w -]/g, '').replaceAll(' ', '-'))
}

test('every function that a document names behind a file is declared there', () => {
  const named = texts.flatMap(([, text]) =>
    [
      ...text.matchAll(/`((?:src|test)\/\S+\.tsx?)`((?:(?:,| and|,? which calls)? `\w+(?:\(\))?`)+)/g),
    ].flatMap(([, file, names]) =>
      [...names!.matchAll(/`(\w+)(?:\(\))?`/g)].map(([, name]) => [file!, name!] as const),
    ),
  )
  expect(named.length).toBeGreaterThan(80)
  const missing = named.filter(([file, name]) => !declaredNames(read(file)).has(name))
  expect(missing).toEqual([])
})

test('every function that a document names exists', async () => {
  const code = globSync('{src,test}/**/*.{ts,tsx}', { cwd: root, exclude: ['**/node_modules/**'] })
  const declared = declaredNames(code.map(read).join('\n'))
  const named = texts.flatMap(([file, text]) =>
    [...text.matchAll(/`([\w.]+)\(\)`/g)].map(([, path]) => ({ file, path: path! })),
  )
  expect(named.length).toBeGreaterThan(100)
  const nameOf = (path: string) => path.split('.').at(-1)!
  const undeclared = named.filter(({ path }) => !declared.has(nameOf(path)) && !isOfJavaScript(path))
  // Postgres has its own functions and those of the migrations.
  const { rows } = await owner((client) =>
    client.query<{ name: string }>('select proname as name from pg_proc where proname = any($1)', [
      undeclared.map(({ path }) => nameOf(path)),
    ]),
  )
  const inPostgres = new Set(rows.map(({ name }) => name))
  expect(undeclared.filter(({ path }) => !inPostgres.has(nameOf(path)))).toEqual([])
})

/** The functions, constants, types, classes and members that a text declares. */
function declaredNames(text: string): Set<string> {
  const declarations = text.matchAll(
    /\b(?:function\*?|const|let|class|type|interface) (\w+)|^ +(?:readonly |async )*(\w+)(?:[?]?:|[(])/gm,
  )
  return new Set([...declarations].map(([, declared, member]) => (declared ?? member)!))
}

/** Whether JavaScript has a function with this path, such as `Date.now`. */
function isOfJavaScript(path: string): boolean {
  const value = path
    .split('.')
    .reduce((object: unknown, name) => Reflect.get(Object(object), name), globalThis)
  return typeof value === 'function'
}

test('each SQL function that a document names with its file is in it', () => {
  const files = readdirSync(join(root, 'migrations/functions'))
  const fileOf = (name: string) =>
    files.find((file) =>
      new RegExp(`create or replace (?:function|procedure) ${name}\\(`).test(
        read(`migrations/functions/${file}`),
      ),
    )
  const isNamed = texts.flatMap(([, text]) => [
    ...text.matchAll(/`(\w+)\(\)`\*{0,2}\s+(?:\(|in |of )`migrations\/functions\/(\w+\.sql)`/g),
  ])
  expect(isNamed.length).toBeGreaterThan(7)
  expect(isNamed.filter(([, name, file]) => fileOf(name!) !== file).map(([text]) => text)).toEqual([])
})

test('every decision is in the index, with its context, decision and consequences', () => {
  const index = read('.github/docs/decisions/README.md')
  const pages = readdirSync(join(root, '.github/docs/decisions')).filter((name) => name !== 'README.md')
  const linked = [...index.matchAll(/^- \[(.*)\]\((.*)\)$/gm)].map(([, title, page]) => [page, title])
  const titled = pages.map((page) => [page, /^# (.*)$/m.exec(read(`.github/docs/decisions/${page}`))?.[1]])
  expect(linked.toSorted()).toEqual(titled.toSorted())
  const form = new RegExp(
    `^# .+\\n\\nDecided \\d{4}-\\d\\d-\\d\\d\\.\\n\\n${['Context', 'Decision', 'Consequences'].map((name) => `\\*\\*${name}\\.\\*\\* .+\\n`).join('\\n')}$`,
    's',
  )
  const isWhole = (text: string) => form.test(text)
  const lines = (page: string) => read(`.github/docs/decisions/${page}`).split('\n').length
  expect(
    pages.filter((page) => !isWhole(read(`.github/docs/decisions/${page}`)) || lines(page) > 25),
  ).toEqual([])
})

test('each runbook names a test that exercises it', () => {
  const named = /`(?:test|src)\/\S+\.test\.ts`/
  const cases = [...runbook('Recovery').text.matchAll(/^- (\*\*.*)$/gm)].map(([, text]) => text!)
  expect(cases.length).toBeGreaterThan(7)
  expect(cases.filter((text) => !named.test(text))).toEqual([])
  for (const title of ['A tenant floods the service', 'Changing the region'])
    expect(runbook(title).text, title).toMatch(named)
})

test('each behaviour of a platform names existing tests, or “none”', () => {
  const rows = read('test/platforms.md')
    .split('\n')
    .filter((line) => line.startsWith('| ') && !/^\| (?:behaviour|---)/.test(line))
  expect(rows.length).toBeGreaterThan(30)
  const missing = rows.flatMap((row) => {
    const cells = row.slice(2, -2).split(' | ')
    const test = cells[3] ?? ''
    if (cells.length !== 4 || !/^(?:none: |`)/.test(test)) return [row]
    return [...test.matchAll(/`(\S+\.test\.ts)`(?:: “([^”]+)”)?/g)].flatMap(([, file, name]) => {
      const code = existsSync(join(root, file!)) ? read(file!) : null
      return code?.includes(name ?? '') ? [] : [`${file}: ${name}`]
    })
  })
  expect(missing).toEqual([])
})

test('every dependency has its reason, and no other is listed', () => {
  const reasons = read('.github/docs/dependencies.md').split('\n| where ')[1]!
  const named = [...reasons.matchAll(/`([^`\s]+)`/g)].map(([, name]) => name!)
  const used = packages.flatMap((each) =>
    Object.keys({ ...each.dependencies, ...each.devDependencies, ...each.optionalDependencies }),
  )
  const covers = (name: string, given: string) =>
    name === given || (name.endsWith('*') && given.startsWith(name.slice(0, -1)))
  const pages = ['/admin', '/docs', 'npm']
  expect({
    withoutReason: used.filter((given) => !named.some((name) => covers(name, given))),
    unused: named.filter(
      (name) => !pages.some((page) => name.startsWith(page)) && !used.some((given) => covers(name, given)),
    ),
  }).toEqual({ withoutReason: [], unused: [] })
})
