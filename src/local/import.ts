import { statSync } from 'node:fs'
import { command, Failure, localTenant, option, port, runHere, text, UsageError } from './cli/command.ts'
import { progressBar } from './cli/output.ts'
import { isUnreachable, openClient, Refusal } from './client.ts'
import { Report } from './import/report.ts'
import { readGroups, UnreadableFile } from './import/rows.ts'
import { importProducts } from './import/run.ts'

/** `npm run import`. */
export const importCommand = command({
  name: 'import',
  summary: 'Imports a Shopify product export into the catalogue of a local tenant.',
  examples: ['npm run import -- FILE.csv --tenant acme'],
  argument: {
    name: 'FILE.csv',
    missing: 'The CSV file is required: npm run import -- FILE.csv --tenant acme',
  },
  options: {
    tenant: option('NAME', 'the tenant, as in NAME.localhost', localTenant),
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
    port: option('NUMBER', 'the port of the running service (default: 8787)', port.default(8787)),
    token: option('TOKEN', 'a bearer token; without it, a token as from "npm run token"', text.optional()),
  },
  notes: [
    'Products are matched by their handles. Importing the same file again changes nothing, and an edited file changes only the edited properties. Variants that the file does not contain stay.',
  ],
  exitCodes: '0 done, 1 failed or rows were rejected',
  async run({ argument: file, tenant, channel, currency, locale, port, token }, { print }) {
    const size = statSync(file, { throwIfNoEntry: false })
    if (!size?.isFile()) throw new UsageError(`There is no file ${file}.`)
    // Imported only without a token, because a given token needs no local key.
    const createToken = async () => (await import('./token.ts')).tokenFor(tenant)
    const host = `${tenant}.localhost`
    const client = openClient({
      port,
      host,
      token: token ?? (await createToken()),
      ...(locale !== undefined && { locale }),
      ...(token === undefined && { renewToken: createToken }),
    })
    const report = new Report()
    const progress = progressBar()
    progress.start(size.size)
    try {
      // A wrong host or token is then one message, and not one for each product.
      await client.read('/api/products?itemsPerPage=0')
      await importProducts(readGroups(file), client, { channel, currency }, progress, report)
      return report.refusedAnything ? 1 : 0
    } catch (error) {
      throw new Failure(`Stopped: ${reason(error, host, port)}`)
    } finally {
      progress.stop()
      print(report.text())
      client.close()
    }
  },
})

/** Why an import stopped. @throws other errors */
function reason(error: unknown, host: string, port: number): string {
  if (error instanceof UnreadableFile) return error.message
  if (error instanceof Refusal) return `${host}:${port} answered ${error.status}: ${error.message}`
  if (isUnreachable(error)) return `nothing answers at ${host}:${port}. Is "npm start" running?`
  throw error
}

if (import.meta.main) await runHere(importCommand)
