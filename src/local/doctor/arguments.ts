import { parseArgs } from 'node:util'

export const help = `Looks a deployment over, and changes nothing.

  npm run doctor -- [--database-url URL] [--worker-url URL] [--url https://acme.example.com]

  --database-url URL   the owner's connection string (default: DATABASE_URL, then the Postgres of "npm start")
  --worker-url URL     the Worker's own, of role catalogue_app, to see row security from outside (default:
                       WORKER_DATABASE_URL, then that of "npm start")
  --tenant NAME        counts the rows of one tenant instead of all: a check is cut after 30 seconds
  --url URL            where the service answers, to ask its /ready
  --config FILE        the wrangler.toml whose production environment is checked (default: the project's)
  --json               prints JSON in place of text
  --help               this text

Looked at: production in wrangler.toml, the rights of the Worker's role, row security, migrations, what waits, what was given up, the
database's clock, locales and collections that hang, and whether WEBHOOK_SECRET_KEY, where it is set, reads every stored secret.
Counted again: totals, offers of variants, products in the search index, and whether stored documents are JSON and agree with their rows.
"npm run recount" repairs the first three and the stored parts.
A line for each: ok, warn or fail, what was seen, and what to do next.
Exit code: 0 nothing failed, 1 something failed, 2 wrong usage.`

const options = {
  'database-url': { type: 'string' },
  'worker-url': { type: 'string' },
  tenant: { type: 'string' },
  url: { type: 'string' },
  config: { type: 'string' },
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const

/** What was typed, checked; an Error says what is wrong with it. */
export function readArguments(args: readonly string[]) {
  const { values } = parseArgs({ args: [...args], options })
  for (const name of ['database-url', 'worker-url'] as const) {
    const protocol = URL.parse(values[name] ?? 'postgresql://x')?.protocol ?? ''
    if (!/^postgres(?:ql)?:$/.test(protocol))
      throw new Error(`--${name} is a connection string: postgresql://…`)
  }
  if (values.url !== undefined && !/^https?:$/.test(URL.parse(values.url)?.protocol ?? ''))
    throw new Error('--url is an address: https://acme.example.com')
  return values
}
