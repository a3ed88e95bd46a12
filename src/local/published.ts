import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { anyOrigin, fileOf, newestMigrationFile } from '../docs/library.ts'
import { documentOf, everyDocument } from '../docs/making.ts'
import { resources } from '../resources/index.ts'
import { dialects } from '../versions/index.ts'

/**
 * Writes everything that is published, with a host that the Worker replaces by the one asked; and the name of the newest migration,
 * so that `/ready` can tell whether the database has had it.
 */
export function writeDocuments(to: string): void {
  for (const { name, reader } of everyDocument(resources, dialects)) {
    const text = documentOf(name, { resources, origin: anyOrigin, ...reader })
    if (text === null) throw new Error(`${name} of ${reader.dialect.version.name} cannot be made`)
    const file = join(to, fileOf(name, reader))
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
  }
  const migrations = readdirSync(join(import.meta.dirname, '../../migrations'))
  const name = migrations
    .filter((each) => each.endsWith('.sql'))
    .toSorted()
    .at(-1)
  writeFileSync(join(to, newestMigrationFile), JSON.stringify({ name }))
}
