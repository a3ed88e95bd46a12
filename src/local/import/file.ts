/** Files of this machine as the importer reads them. */
import { createReadStream } from 'node:fs'
import type { Format } from './columns.ts'
import { groupRows } from './csv.ts'
import { type Bytes, encodingOf, textOf } from './records.ts'

/** The bytes of a file. */
export const bytesOf =
  (path: string): Bytes =>
  () =>
    createReadStream(path)

/** The rows of a file, grouped by handle, never holding more than one product's rows, unless the file has another layout. */
export async function* readGroups(path: string, format: Format & { encoding?: string } = {}) {
  const bytes = bytesOf(path)
  yield* groupRows(textOf(bytes, format.encoding ?? (await encodingOf(bytes)).name), format)
}
