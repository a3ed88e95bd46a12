import { writeFileSync } from 'node:fs'
import * as z from 'zod'
import { command, Failure, flag, httpUrl, option, repeated, runHere, text } from '../cli/command.ts'
import { localOptions, openLocalClient, serviceFault } from '../cli/http.ts'
import { progressBar } from '../cli/output.ts'
import { usedService } from '../running.ts'
import { type Import, writeProducts } from './apply.ts'
import { type Column, columnNames, layoutNames } from './columns.ts'
import type { RowGroup } from './csv.ts'
import { bytesOf, readGroups } from './file.ts'
import { type ImportedProduct, readProduct, repeatedHandle } from './product.ts'
import { encodingOf, UnreadableFile } from './records.ts'
import { Report } from './report.ts'

/** Products in memory, and of one bulk operation: a tenth of the lines that the service accepts. */
const productsAtOnce = 10_000

/** Imports products in the order of the file. After an error, `report` has the results so far. */
export async function importProducts(
  groups: AsyncIterable<RowGroup>,
  { atOnce = productsAtOnce, ...given }: Import & { readonly atOnce?: number },
): Promise<Report> {
  const { client, report, signal } = given
  const firstLines = new Map<string, number>()
  let products: ImportedProduct[] = []

  async function flush(): Promise<void> {
    const some = products
    products = []
    await writeProducts(some, given)
  }

  async function add(group: RowGroup): Promise<void> {
    const { product, refusals, notes } = readProduct(group)
    const earlier = product && repeatedHandle(product, firstLines)
    report.find(group.rows, group.sheet, product)
    if (failure || signal.aborted) return
    if (product && earlier) return report.rejectProduct(product, [earlier])
    report.reject(group.rows, refusals)
    report.notes.push(...notes)
    if (!product) return report.settle(group.rows, 'rejected')
    firstLines.set(product.handle, product.line)
    products.push(product)
    if (products.length === atOnce) await flush()
  }

  // After a failure, the rest of the file is only counted.
  let failure: { readonly cause: unknown } | undefined
  const fail = (cause: unknown) => {
    failure ??= { cause }
  }
  // A wrong host or token is then one message, and not one for each product.
  await client.read('/api/products?itemsPerPage=0').catch(fail)
  try {
    for await (const group of groups) await add(group).catch(fail)
    if (!failure) await flush()
  } catch (error) {
    fail(error)
  }
  if (failure) throw failure.cause
  if (signal.aborted) throw new Failure(cancelled)
  return report
}

const cancelled = 'Cancelled. Written products remain. Import the same file again for those that are unread.'

const mapping = text.transform((given, check): [Column, string] => {
  const [field, ...column] = given.split('=')
  const known = columnNames.find((name) => name === field)
  if (known && column.length > 0) return [known, column.join('=')]
  check.addIssue(`has no known field: ${given}`)
  return z.NEVER
})

/** The command that imports the rejected rows with the same options. It shows no token. */
function correction(file: string, rejectedPath: string): string {
  const words = process.argv.slice(2).map((word, place, all) => {
    if (word === file) return rejectedPath
    if (word.startsWith('--token=')) return '--token=TOKEN'
    return all[place - 1] === '--token' ? 'TOKEN' : word
  })
  const quoted = words.map((word) =>
    /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`,
  )
  return `Correct the rows in ${rejectedPath}, and import that file:\n\n  npm run import -- ${quoted.join(' ')}`
}

/** `npm run import`. */
export const importCommand = command({
  name: 'import',
  summary: 'Imports the product export of a shop system into the catalogue of a local tenant.',
  examples: [
    'npm run import -- FILE.csv --tenant acme',
    "npm run import -- FILE.csv --tenant acme --layout sheet --map title=Artikel --map 'price=Preis (EUR)'",
  ],
  argument: {
    name: 'FILE.csv',
    missing: 'The CSV file is required: npm run import -- FILE.csv --tenant acme',
    isFile: true,
  },
  options: {
    ...localOptions,
    channel: option(
      'NAME',
      'the channel of published products and of prices (default: web)',
      text.default('web'),
    ),
    currency: option(
      'CODE',
      'ISO 4217 code of the prices (default: EUR)',
      text
        .regex(/^[a-z]{3}$/i, 'is a code of three letters: EUR')
        .toUpperCase()
        .default('EUR'),
    ),
    locale: option(
      'TAG',
      "the language of the file, such as fr-FR (default: the tenant's default)",
      text.optional(),
    ),
    layout: option(
      'NAME',
      `the layout of the file: ${layoutNames.join(', ')} (default: shopify)`,
      z.enum(layoutNames, `is one of ${layoutNames.join(', ')}`).default('shopify'),
    ),
    map: repeated(
      'FIELD=COLUMN',
      `the column of the file that has a field. Fields: ${columnNames.join(', ')}`,
      z.array(mapping).default([]),
    ),
    'picture-base': option(
      'URL',
      'where pictures are whose addresses are paths: https://shop.example/media/catalog/product',
      httpUrl.optional(),
    ),
    'decimal-comma': flag('reads 1.299,00 as 1299.00'),
  },
  notes: [
    'The command sends each product as an upsert, which changes only what differs. Importing the same file again changes nothing. Variants that the file does not contain stay. A product is found by its handle. If it has no external id, it gets one. A price is found by its channel, currency, countries, minimum quantity and period.',
    'More than 1,000 products are sent as bulk operations. Ctrl-C cancels the import. Written products remain.',
    'A rejected row or value is reported with its line, column and reason, and the import continues. FILE.rejected.csv then contains all rows of its product: correct and import it. Until then a new product is a draft, and an existing one keeps its status.',
    'A file of another layout than shopify is read whole, because a variant may precede its product. A Google Merchant feed may be XML, RSS or Atom. A product without a handle gets one from its title. With --layout sheet, rows of one handle or title are variants of one product.',
    'The encoding is detected: UTF-8, UTF-16 or Windows-1252. Columns may be separated by commas, semicolons, tabs or "|". "unread" counts the rest of the file after a failure of the service or Ctrl-C. "changed" also counts products of which only a variant or a price is written.',
  ],
  exitCodes: '0 done, 1 failed or rows were rejected',
  async run(
    { argument: file, channel, currency, layout, map, 'picture-base': pictureBase, ...options },
    { print },
  ) {
    const { 'decimal-comma': decimalComma, ...values } = options
    const { port } = await usedService(values.port)
    const client = await openLocalClient({ ...values, port })
    const report = new Report()
    const progress = progressBar()
    const encoding = await encodingOf(bytesOf(file))
    const cancellation = new AbortController()
    process.once('SIGINT', () => cancellation.abort())
    try {
      const format = { layout, mapped: new Map(map), currency, decimalComma, pictureBase }
      const groups = readGroups(file, { ...format, encoding: encoding.name })
      const target = { channel, currency }
      const { signal } = cancellation
      await importProducts(groups, { client, target, progress, report, signal, bulkAbove: 1000 })
      return report.refusals.length > 0 ? 1 : 0
    } catch (error) {
      const address = `${values.tenant}.localhost:${port}`
      const fault = error instanceof UnreadableFile ? error.message : serviceFault(error, address)
      throw fault === null ? error : new Failure(`Stopped: ${fault}`)
    } finally {
      progress.stop()
      const rejected = report.rejectedFile()
      const rejectedPath = `${file.replace(/(?:\.rejected)?(?:\.csv)?$/i, '')}.rejected.csv`
      if (rejected) writeFileSync(rejectedPath, rejected)
      if (encoding.name !== 'utf-8') print(`The file is read as ${encoding.name}.`)
      print(report.text())
      if (rejected) print(`\n${correction(file, rejectedPath)}`)
      client.close()
    }
  },
})

if (import.meta.main) await runHere(importCommand)
