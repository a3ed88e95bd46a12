/** `npm run client`: writes the types of every API version, from the OpenAPI documents that the service publishes. */

import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import openapiTypes, { astToString } from 'openapi-typescript'
import { documentOf } from '../docs/generate.ts'
import { resources } from '../resources/index.ts'
import { apiVersions, versions } from '../versions/index.ts'

const directory = join(import.meta.dirname, 'types')
const names = versions.map(({ name }) => name)

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
