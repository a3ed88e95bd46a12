/** `npm run client`: writes the types of every API version, from the OpenAPI documents that the service publishes, and compiles the client. */

import { execFileSync } from 'node:child_process'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
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
execFileSync(process.execPath, [createRequire(import.meta.url).resolve('typescript/bin/tsc')], {
  cwd: import.meta.dirname,
  stdio: 'inherit',
})
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
