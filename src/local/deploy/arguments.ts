import { parseArgs } from 'node:util'

export const help = `Deploys to Cloudflare: checks, builds, migrates the database, sends the Worker, and verifies it.

  npm run deploy -- --database-url URL [--url https://acme.example.com]
  npm run deploy -- --dry-run

  --database-url URL     the owner's direct connection string, for the migrations (default: DIRECT_DATABASE_URL)
  --without-migrations   leaves the database as it is
  --dry-run              sends and changes nothing, and needs no account: what would be migrated and sent, and how large it is
  --url URL              a tenant's host: where the service answers afterwards
  --token TOKEN          an access token of that tenant's, with which "npm run verify" looks the service over from outside
                         (default: ACCESS_TOKEN, which npm does not print, nor ps show)
  --unclean              deploys a tree that has changes nobody has committed
  --without-checks       leaves out lint and types
  --outdir DIR           where what is sent is left, with its source map (default: dist/worker)
  --help                 this text

Migrations come before the Worker: the one that serves meanwhile runs on with them. Exit code: 0 done, 1 failed, 2 wrong usage.`

const options = {
  'database-url': { type: 'string' },
  'without-migrations': { type: 'boolean', default: false },
  'dry-run': { type: 'boolean', default: false },
  url: { type: 'string' },
  token: { type: 'string' },
  unclean: { type: 'boolean', default: false },
  'without-checks': { type: 'boolean', default: false },
  outdir: { type: 'string', default: 'dist/worker' },
  help: { type: 'boolean', default: false },
} as const

/** What was typed, checked; an Error says what is wrong with it. */
export function readArguments(args: readonly string[], env: Readonly<Record<string, string | undefined>>) {
  const { values } = parseArgs({ args: [...args], options })
  const ownerUrl = values['without-migrations']
    ? null
    : (values['database-url'] ?? env.DIRECT_DATABASE_URL ?? null)
  if (ownerUrl !== null && !/^postgres(?:ql)?:$/.test(URL.parse(ownerUrl)?.protocol ?? ''))
    throw new Error('--database-url is a connection string: postgresql://…')
  if (ownerUrl === null && !values.help && !values['dry-run'] && !values['without-migrations'])
    throw new Error('Give --database-url or DIRECT_DATABASE_URL, or --without-migrations.')
  if (values.token !== undefined && values.url === undefined)
    throw new Error('--token needs --url, the host of its tenant.')
  if (values.url !== undefined && !/^https?:$/.test(URL.parse(values.url)?.protocol ?? ''))
    throw new Error('--url is an address: https://acme.example.com')
  return { ...values, token: values.token ?? (env.ACCESS_TOKEN?.trim() || undefined), ownerUrl }
}

/** What was asked. */
export type Arguments = ReturnType<typeof readArguments>
