/** The SQL of a tree: numbered migrations, applied once each, and functions, applied again whenever any file changes. */
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

export type SqlFile = {
  /** Its path in the folder of migrations. */
  readonly name: string
  readonly sql: string
}

export type SchemaFiles = {
  readonly migrations: readonly (SqlFile & { readonly sha256: string })[]
  readonly functions: readonly SqlFile[]
  /** Functions that tables are built with. They need no tables, and run before each migration as well. */
  readonly basics: readonly SqlFile[]
  /**
   * The name under which a database records that it has all of these files; another name for every change of any of them. Functions
   * are applied again after a new migration too, because the text of some depends on the columns of tables.
   */
  readonly version: string
}

const migrationsDirectory = fileURLToPath(new URL('../../migrations', import.meta.url).href)

/** Reads a folder of `NNNN_name.sql` files and, in its folder `functions`, of `NN_name.sql` files. */
export function schemaFiles(directory = migrationsDirectory): SchemaFiles {
  const migrations = sqlFiles(directory, /^\d{4}_[a-z0-9_]+\.sql$/).map((file) => ({
    ...file,
    sha256: digestOf([file]),
  }))
  const functions = sqlFiles(`${directory}/functions`, /^\d{2}_[a-z0-9_]+\.sql$/).map((file) => ({
    ...file,
    name: `functions/${file.name}`,
  }))
  return {
    migrations,
    functions,
    basics: functions.filter(({ name }) => name.startsWith('functions/00_')),
    version: `functions-${digestOf([...migrations, ...functions]).slice(0, 16)}`,
  }
}

function sqlFiles(directory: string, pattern: RegExp): SqlFile[] {
  if (!existsSync(directory)) return []
  return readdirSync(directory)
    .filter((name) => pattern.test(name))
    .sort()
    .map((name) => ({ name, sql: readFileSync(`${directory}/${name}`, 'utf8') }))
}

function digestOf(files: readonly SqlFile[]): string {
  const hash = createHash('sha256')
  for (const { name, sql } of files) hash.update(`${name}\0${sql}\0`)
  return hash.digest('hex')
}
