import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { documentOf, everyDocument } from '../docs/generate.ts'
import { anyOrigin, fileOf, schemaVersionFile } from '../docs/published.ts'
import { resources } from '../resources/index.ts'
import { apiVersions } from '../versions/index.ts'
import { schemaFiles } from './schema-files.ts'

/**
 * Writes all published documents and the messages of problems. Documents have a host that the Worker replaces by the requested one. Also writes the version of
 * the schema, so that `/ready` can report whether the database has it.
 */
export function writeDocuments(to: string): void {
  for (const { name, reader } of everyDocument(resources, apiVersions)) {
    const text = documentOf(name, { resources, origin: anyOrigin, ...reader })
    if (text === null) throw new Error(`${name} of ${reader.apiVersion.version.name} cannot be made`)
    const file = join(to, fileOf(name, reader))
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
  }
  cpSync(join(import.meta.dirname, '../messages'), join(to, 'messages'), { recursive: true })
  writeFileSync(join(to, schemaVersionFile), JSON.stringify({ name: schemaFiles().version }))
}
