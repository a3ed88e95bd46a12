/** `npm run client`: writes the types of every API version, from the OpenAPI documents that the service publishes, and compiles the client. */

import { execFileSync } from 'node:child_process'
import { globSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import openapiTypes, { astToString } from 'openapi-typescript'
import { documentOf } from '../docs/generate.ts'
import { resources } from '../resources/index.ts'
import { apiVersions, versions } from '../versions/index.ts'

const directory = join(import.meta.dirname, 'types')
const names = versions.map(({ name }) => name)

try {
  const { values } = parseArgs({ options: { help: { type: 'boolean' } } })
  if (values.help) {
    console.log('Generates the typed client in src/client/ from the OpenAPI documents.\n\n  npm run client')
    process.exit(0)
  }
} catch (error) {
  console.error(`${error instanceof Error ? error.message : error}\nSee: npm run client -- --help`)
  process.exit(2)
}

await mkdir(directory, { recursive: true })
for (const name of names) {
  const publication = {
    resources,
    apiVersion: apiVersions.get(name)!,
    origin: 'https://catalogue.example',
    everyName: false,
  }
  const types = await openapiTypes(documentOf('openapi', publication)!, {
    immutable: false,
    alphabetize: false,
  })
  await write(`${name}.ts`, astToString(types))
}
await write('index.ts', index())
await compile()
process.stdout.write(`${names.length} versions in ${directory}\n`)

function index(): string {
  const member = (kind: string) =>
    names.map((name) => `  '${name}': import('./${name}.ts').${kind}\n`).join('')
  return `/** The paths of each version, for openapi-fetch. */
export type Paths = {\n${member('paths')}}

/** The schemas of each version. */
export type Components = {\n${member('components')}}

/** The deliveries of each version. */
export type Webhooks = {\n${member('webhooks')}}
`
}

/** An unchanged file is not written, so that nothing is built again for it. */
async function write(name: string, text: string): Promise<void> {
  const file = join(directory, name)
  const known = await readFile(file, 'utf8').catch(() => '')
  const generated = `// Made by npm run client; do not edit.\n${text}`
  if (known !== generated) await writeFile(file, generated)
}

/** Replaces each changed file of `dist` at once, because programs may run with them meanwhile. */
async function compile(): Promise<void> {
  const unfinished = await mkdtemp(join(import.meta.dirname, '.dist-'))
  try {
    const tsc = createRequire(import.meta.url).resolve('typescript/bin/tsc')
    execFileSync(process.execPath, [tsc, '--outDir', unfinished], {
      cwd: import.meta.dirname,
      stdio: 'inherit',
    })
    for (const name of globSync('**/*.*', { cwd: unfinished })) {
      const [made, file] = [join(unfinished, name), join(import.meta.dirname, 'dist', name)]
      if ((await readFile(made, 'utf8')) === (await readFile(file, 'utf8').catch(() => null))) continue
      await mkdir(dirname(file), { recursive: true })
      await rename(made, file)
    }
  } finally {
    await rm(unfinished, { recursive: true })
  }
}
