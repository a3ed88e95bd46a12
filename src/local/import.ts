import { statSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { isUnreachable, openClient, Refusal } from './client.ts'
import { showProgress } from './import/progress.ts'
import { Report } from './import/report.ts'
import { readGroups, UnreadableFile } from './import/rows.ts'
import { importProducts } from './import/run.ts'

const help = `Imports a Shopify product export into a tenant's catalogue.

  npm run import -- FILE.csv --tenant acme

  --tenant NAME      the tenant, as in NAME.localhost (required)
  --channel NAME     the channel in which published products are sold and prices hold (default web)
  --currency CODE    ISO 4217 code of the file's prices (default EUR)
  --locale TAG       the language of the file, such as fr-FR (default: the tenant's first)
  --port NUMBER      the port of the running service (default 8787)
  --token TOKEN      a bearer token; without it one is minted as "npm run token" does
  --help             this text

A product is known by its handle: a second run changes nothing, an edited file changes only what was edited.
Variants that the file leaves out stay. Exit code: 0, or 1 when anything was refused.`

const options = {
  tenant: { type: 'string' },
  channel: { type: 'string', default: 'web' },
  currency: { type: 'string', default: 'EUR' },
  locale: { type: 'string' },
  port: { type: 'string', default: '8787' },
  token: { type: 'string' },
  help: { type: 'boolean', default: false },
} as const

/** A mistake in the command itself, told without a stack trace. */
class UsageError extends Error {}

async function main(args: string[]): Promise<number> {
  const { values, positionals } = readArguments(args)
  if (values.help) {
    console.log(help)
    return 0
  }
  const [file, ...others] = positionals
  const { tenant, channel, currency, locale } = values
  if (!file || others.length > 0) throw new UsageError('Name one CSV file.')
  if (!tenant || !/^[a-z0-9-]+$/.test(tenant)) throw new UsageError('Name the tenant: --tenant acme')
  const port = Number(values.port)
  if (!Number.isInteger(port) || port < 1 || port > 65_535)
    throw new UsageError(`--port ${values.port} is no port.`)
  const size = statSync(file, { throwIfNoEntry: false })
  if (!size?.isFile()) throw new UsageError(`There is no file ${file}.`)

  // Loaded only when a token is to be minted: one that was given needs no key on this machine.
  const mint = async () => (await import('./token.ts')).tokenFor(tenant)
  const host = `${tenant}.localhost`
  const client = openClient({
    port,
    host,
    token: values.token ?? (await mint().catch(asUsageError)),
    ...(locale && { locale }),
    ...(values.token === undefined && { renewToken: mint }),
  })
  const report = new Report()
  const progress = showProgress(size.size)
  try {
    // Asked once, so that an unknown host or a token without rights is one message and not one for each product.
    await client.read('/api/products?itemsPerPage=0')
    await importProducts(
      readGroups(file),
      client,
      { channel, currency: currency.toUpperCase() },
      progress,
      report,
    )
    progress.stop()
    console.log(report.text())
    return report.refusedAnything ? 1 : 0
  } catch (error) {
    progress.stop()
    console.log(report.text())
    console.error(`\nStopped: ${reason(error, host, port)}`)
    return 1
  } finally {
    client.close()
  }
}

/** An unknown tenant is named by whoever mints its tokens. */
function asUsageError(error: Error): never {
  throw new UsageError(error.message)
}

function readArguments(args: string[]) {
  try {
    return parseArgs({ args, options, allowPositionals: true, strict: true })
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error))
  }
}

/** Why an import could not go on; an error of our own making is thrown on with its trace. */
function reason(error: unknown, host: string, port: number): string {
  if (error instanceof UnreadableFile) return error.message
  if (error instanceof Refusal) return `${host}:${port} answered ${error.status}: ${error.message}`
  if (isUnreachable(error)) return `nothing answers at ${host}:${port}. Is "npm start" running?`
  throw error
}

try {
  process.exitCode = await main(process.argv.slice(2))
} catch (error) {
  if (!(error instanceof UsageError)) throw error
  console.error(`${error.message}\nSee: npm run import -- --help`)
  process.exitCode = 1
}
