/** `npm run tenant`, as an operator uses it: on a database, with the service in front of it. */
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { noProgress } from '../../src/local/cli/output.ts'
import { tenantCommand } from '../../src/local/tenant/command.ts'
import { LineWriter } from '../../src/local/transfer/file.ts'
import { openWorld } from '../checklist/world.ts'
import { databaseUrls, useOwnDatabase } from '../support/database.ts'
import { owner } from '../support/ledger.ts'
import { openShop, type Shop } from '../support/shop.ts'

const directory = mkdtempSync(join(tmpdir(), 'tenant-'))
let drop: () => Promise<void>
/** A tenant that nothing here is about. */
let bystander: Shop
beforeAll(async () => {
  drop = await useOwnDatabase()
  bystander = (await openWorld()).shop
})
afterAll(async () => {
  await drop()
  rmSync(directory, { recursive: true })
})

type Said = { readonly code: number | null; readonly out: string; readonly err: string }

/** Runs the command in this process; `typed` is the input on a terminal. */
async function tenant(args: readonly string[], typed: string | null = null): Promise<Said> {
  const [out, err]: [string[], string[]] = [[], []]
  const database =
    args.includes('--help') || args.length === 0 ? [] : ['--database-url', databaseUrls().ownerUrl]
  const code = await tenantCommand.run([...args, ...database], {
    print: (text) => out.push(text),
    printError: (text) => err.push(text),
    ask: async (question) => {
      err.push(question)
      return typed
    },
    env: {},
    progress: noProgress,
  })
  return { code, out: out.join('\n'), err: err.join('\n') }
}

/** Runs it as a process of its own, without a terminal. */
function command(...args: string[]): Promise<Said> {
  const file = join(import.meta.dirname, '../../src/local/tenant/command.ts')
  const env = { ...process.env, DATABASE_URL: databaseUrls().ownerUrl }
  const child = spawn(process.execPath, [file, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  let [out, err] = ['', '']
  child.stdout.on('data', (chunk) => {
    out += chunk
  })
  child.stderr.on('data', (chunk) => {
    err += chunk
  })
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code) => resolve({ code, out, err }))
  })
}

const words = (text: string) => text.split(' ')
const name = () => `t-${crypto.randomUUID().slice(0, 13)}.test`
const row = (id: string) =>
  owner(async (client) => (await client.query('select * from tenants where id = $1', [id])).rows[0])

describe('the input', () => {
  test('--help describes the command and each subcommand, without a database', async () => {
    const overview = await tenant(['--help'])
    expect(overview).toMatchObject({ code: 0, err: '' })
    for (const action of ['create', 'list', 'show', 'update', 'suspend', 'resume', 'suspend-all', 'remove']) {
      const { code, out, err } = await tenant([action, '--help'])
      expect([code, err]).toEqual([0, ''])
      expect(out).toContain('--database-url URL')
      expect(out).toContain(`npm run tenant -- ${action}`)
      expect(overview.out).toContain(`\n  ${action} `)
    }
    expect(await tenant([])).toMatchObject({
      code: 2,
      err: expect.stringContaining('A subcommand is required'),
    })
    expect(await tenant(['destroy'])).toMatchObject({
      code: 2,
      err: expect.stringContaining('There is no subcommand "destroy"'),
    })
  })

  test('every mistake is printed at once, each in a line, and is wrong usage', async () => {
    const keys = join(directory, 'private.json')
    writeFileSync(keys, JSON.stringify({ keys: [{ kty: 'EC', d: 'x' }] }))
    const names = words('--host https://Acme.example --locale fr --issuer login --profile oauth')
    const limits = words('--default-version 2025-01 --subscriptions 1001 --prior-price-days 29')
    const others = words('--time-zone Europe/Atlantis --image-host https://images.example.com --colour red')
    const options = [...names, '--jwks', keys, ...limits, ...others]
    const { code, out, err } = await tenant(['create', ...options, 'acme'])
    expect({ code, out }).toEqual({ code: 2, out: '' })
    expect(err.split('\n')).toEqual([
      '--colour is not an option of npm run tenant create.',
      '"red" is one argument too many.',
      '"acme" is one argument too many.',
      expect.stringMatching(/^--host is a host in lower case/),
      '--locale is a language with a country, such as fr-FR, and not fr.',
      expect.stringMatching(/^--image-host is a host in lower case, without scheme/),
      '--issuer is a URL: https://acme.example.com.',
      expect.stringMatching(/^--jwks .*private.json: keys.0.d is a private key: give its public half\.$/),
      '--profile is rfc9068 or generic.',
      expect.stringMatching(/^--default-version is one of .*2026-10/),
      '--subscriptions is a number from 0 to 1000.',
      '--prior-price-days is a number of days from 30 to 36500.',
      '--time-zone is the IANA name of a time zone: Europe/Paris.',
      'See: npm run tenant -- create --help',
    ])
    const missing = (await tenant(['create'])).err.split('\n')
    expect(missing).toEqual([
      '--host is required.',
      '--locale is required.',
      '--issuer is required.',
      '--jwks-uri or --jwks is required.',
      'See: npm run tenant -- create --help',
    ])
    expect((await tenant(['update'])).err.split('\n').slice(0, -1)).toEqual([
      'The tenant is required: npm run tenant -- update acme.',
      'Give at least one option that changes it.',
    ])
    expect((await tenant(['remove', 'acme'])).err).toContain(
      'Give --exported FILE, or --without-export. The tenant must be suspended.',
    )
    expect((await tenant(['remove', 'acme', '--exported'])).err).toContain('--exported takes a value.')
  })

  test('accepts an issuer and keys over http only for a database on this computer', async () => {
    const faultsOf = async (host: string, database: string) => {
      const err: string[] = []
      const options = [
        '--issuer',
        `http://${host}/`,
        '--jwks-uri',
        `http://${host}/jwks`,
        '--subscriptions',
        'x',
      ]
      await tenantCommand.run(
        ['update', 'acme', '--database-url', `postgresql://a:b@${database}/x`, ...options],
        {
          print() {},
          printError: (text) => err.push(text),
          ask: async () => null,
          env: {},
        },
      )
      return err.join('').match(/--\S+(?= begins with https:)/g)
    }
    expect(await faultsOf('127.0.0.1:1', 'db.example.com')).toEqual(['--issuer', '--jwks-uri'])
    expect(await faultsOf('localhost:1', '127.0.0.1')).toBeNull()
  })

  test('a database that is away is a failure', async () => {
    const code = await tenantCommand.run(['list', '--database-url', 'postgresql://a:b@127.0.0.1:9/x'], {
      print() {},
      printError: (text) => expect(text).toMatch(/^No connection to the database: .*ECONNREFUSED/),
      ask: async () => null,
      env: {},
    })
    expect(code).toBe(1)
  })
})

describe('a tenant that is made', () => {
  const [host, other] = [name(), name()]

  test('is found at each of its hosts, listed, and shown with all settings', async () => {
    const options = ['--host', host, '--host', other, '--locale', 'en-US', '--locale', 'fr-FR']
    const keys = ['--issuer', 'https://login.example.com/', '--jwks-uri', 'https://login.example.com/jwks']
    keys.push('--image-host', 'cdn.example.com')
    const made = await command('create', ...options, ...keys, '--json')
    expect(made, made.err).toMatchObject({ code: 0, err: '' })
    const expected = {
      host,
      hosts: [host, other],
      storefronts: [],
      name: host,
      status: 'ACTIVE',
      suspendedAt: null,
      locales: ['en-US', 'fr-FR'],
      localeChanges: [],
      defaultApiVersion: '2026-10',
      issuer: 'https://login.example.com/',
      audience: `https://${host}/api`,
      jwksUri: 'https://login.example.com/jwks',
      keys: null,
      algorithms: ['ES256'],
      tokenProfile: 'rfc9068',
      adminClient: null,
      tokensValidAfter: null,
      limits: { subscriptions: 100, subscriptionsPerHost: 20 },
      priorPriceDays: 30,
      pricePolicies: {},
      referenceUnits: [],
      timeZone: 'UTC',
      imageHosts: ['cdn.example.com'],
    }
    expect(JSON.parse(made.out)).toEqual({
      id: expect.any(String),
      createdAt: expect.any(String),
      ...expected,
    })
    for (const asked of [host, other]) {
      expect((await bystander.fetch(new Request(`https://${asked}/health`))).status).toBe(200)
      expect(JSON.parse((await tenant(['show', asked, '--json'])).out)).toMatchObject(expected)
    }
    const [label = ''] = host.split('.')
    expect((await tenant(['show', label])).out).toContain(`hosts       ${host}, ${other}`)
    expect((await tenant(['list'])).out).toMatch(
      new RegExp(`^${host} \\(\\+1\\) +ACTIVE +en-US,fr-FR +30 days +${host}$`, 'm'),
    )
    expect(JSON.parse((await tenant(['list', '--json'])).out)).toHaveLength(2)
  })

  test('takes no host of another, and says which those are', async () => {
    const options = words(
      `--host ${other} --host ${bystander.host} --locale en-US --issuer https://a.example/`,
    )
    const { code, err } = await tenant(['create', ...options, '--jwks-uri', 'https://a.example/jwks'])
    expect(code).toBe(1)
    expect(err.split('\n').toSorted()).toEqual(
      [
        `${other} is a host of the tenant ${host} already.`,
        `${bystander.host} is a host of the tenant ${bystander.host} already.`,
      ].toSorted(),
    )
  })

  test('gets a storefront host with a key that is shown once, until it is revoked', async () => {
    const shop = name()
    const { out } = await tenant(['add-storefront', host, '--host', shop, '--max-age', '300', '--json'])
    const { key } = JSON.parse(out)
    expect(key).toMatch(/^pk_[A-Za-z0-9_-]{32}$/)
    expect((await tenant(['add-storefront', host, '--host', shop])).out).toMatch(/^pk_\S+\n\nThe key reads/)
    const shown = await tenant(['show', shop])
    expect(shown.out).toContain(`storefront  ${shop} with 2 keys, stored by caches for 300 s`)
    expect(shown.out).toContain(`hosts       ${host}, ${other}\n`)
    expect(shown.out).not.toContain('pk_')
    for (const action of ['--add-host', '--primary-host'])
      expect((await tenant(['update', host, action, shop])).code).toBe(1)
    const revoke = (...more: string[]) => tenant(['revoke-storefront', host, '--host', shop, ...more])
    expect((await revoke('--key', key)).out).toContain('The key is revoked.')
    expect((await revoke('--key', key)).err).toContain(
      `${shop} is no storefront host of ${host} with this key.`,
    )
    expect((await revoke()).out).toContain(`${shop} is removed with all of its keys.`)
    expect((await tenant(['revoke-storefront', host, '--host', other])).code).toBe(1)
    expect((await tenant(['show', host])).out).not.toContain(shop)
  })

  test('a created tenant is found by a request that the next steps name', async () => {
    const host = name()
    const keys = ['--issuer', 'https://login.example.com/', '--jwks-uri', 'https://login.example.com/jwks']
    const { out } = await tenant(['create', '--host', host, '--locale', 'en-US', ...keys])
    expect(out).toContain(`2. curl -i https://${host}/api/products: 401 means`)
    const local = await tenant(['create', '--host', `${host}.localhost`, '--locale', 'en-US', ...keys])
    expect(local.out).toContain(`2. curl -i http://${host}.localhost:8787/api/products: 401 means`)
  })

  test('is changed, and unchangeable settings are reported', async () => {
    const added = name()
    const keys = join(directory, 'public.json')
    writeFileSync(keys, JSON.stringify({ keys: [{ kty: 'EC', kid: 'k1', crv: 'P-256', x: 'x', y: 'y' }] }))
    const hosts = ['--add-host', added, '--primary-host', added, '--remove-host', host]
    const settings = ['--name', 'Acme', '--jwks', keys, '--algorithm', 'RS256', '--subscriptions', '0']
    settings.push('--prior-price-days', '60', '--time-zone', 'Europe/Paris')
    const { code, out, err } = await tenant(['update', host, ...hosts, ...settings, '--json'])
    expect(code, err).toBe(0)
    expect(JSON.parse(out)).toMatchObject({
      host: added,
      hosts: [added, other],
      name: 'Acme',
      audience: `https://${host}/api`,
      jwksUri: null,
      keys: ['k1'],
      algorithms: ['RS256'],
      limits: { subscriptions: 0, subscriptionsPerHost: 20 },
      priorPriceDays: 60,
      timeZone: 'Europe/Paris',
    })
    const about = await bystander.fetch(new Request(`https://${added}/admin/catalogue.json`))
    expect(await about.json()).toMatchObject({ name: 'Acme', timeZone: 'Europe/Paris' })
    expect((await tenant(['show', added])).out).toContain('image hosts cdn.example.com')
    const client = async (id: string) =>
      JSON.parse((await tenant(['update', added, '--admin-client', id, '--json'])).out).adminClient
    expect([await client('catalogue-admin'), await client('none')]).toEqual(['catalogue-admin', null])
    const images = ['--add-image-host', 'images.example.com', '--remove-image-host', 'cdn.example.com']
    expect(JSON.parse((await tenant(['update', added, ...images, '--json'])).out)).toMatchObject({
      imageHosts: ['images.example.com'],
      timeZone: 'Europe/Paris',
    })
    const many = Array.from({ length: 20 }, (_, index) => [
      '--add-image-host',
      `i${index}.example.com`,
    ]).flat()
    const same = ['--add-image-host', 'images.example.com', '--remove-image-host', 'cdn.example.com']
    const tooMany = await tenant(['update', added, ...many])
    expect(tooMany).toMatchObject({
      code: 1,
      err: expect.stringContaining('It would have 21 image hosts, and may have 20.'),
    })
    const notThere = await tenant(['update', added, ...same])
    expect(notThere.err.split('\n')).toEqual([
      'images.example.com is an image host of it already.',
      'cdn.example.com is no image host of it.',
    ])
    await tenant(['update', added, '--remove-image-host', 'images.example.com'])
    expect((await tenant(['show', added])).out).toContain('image hosts its own alone')
    for (const days of ['29', '36501', '1.5', 'many'])
      expect(await tenant(['update', added, '--prior-price-days', days])).toMatchObject({
        code: 2,
        err: expect.stringContaining('--prior-price-days is a number of days from 30 to 36500.'),
      })
    expect((await tenant(['show', added])).out).toContain('the lowest of the 60 days before a reduction')
    const choose = (...choices: string[]) =>
      tenant(['update', added, ...choices.flatMap((choice) => ['--price-policy', choice]), '--json'])
    const increasing = 'DE:series=increasing_uninterrupted,days=40'
    expect((await choose(increasing, 'CH:newerGoods=since_launch')).code).toBe(0)
    const chosen = JSON.parse((await choose('DE:act', 'FR:none')).out).pricePolicies
    const chosenAt = expect.stringMatching(/^2/)
    expect(chosen).toEqual({
      CH: [{ chosenAt, rules: { newerGoods: 'since_launch' } }],
      DE: [
        { chosenAt, rules: { series: 'increasing_uninterrupted', days: 40 } },
        { chosenAt, rules: {} },
      ],
      FR: [{ chosenAt, rules: null }],
    })
    const shown = (await tenant(['show', added])).out
    expect(shown).toContain('DE: the policy of the act, chosen at 2')
    expect(shown).toContain('FR: no policy, chosen at 2')
    for (const [choice, fault] of [
      ['UK:act', 'is a country with its rules, such as DE:series=increasing_uninterrupted,days=40'],
      [
        'DE:series=all',
        'has no series of this name: it is none, increasing_uninterrupted, successive_within',
      ],
      [
        'DE:validFrom=2027-01-01',
        'has no rule validFrom: the rules are days, series, seriesDays, newerGoods, perishables',
      ],
      ['DE:days=29', 'has a days out of range: it is a number, days from 30 to 36500'],
    ] as const)
      expect(await choose(choice)).toMatchObject({
        code: 2,
        err: expect.stringContaining(`--price-policy ${fault}`),
      })
    expect(JSON.parse((await tenant(['show', added, '--json'])).out).pricePolicies).toEqual(chosen)
    const measure = (...quantities: string[]) =>
      tenant(['update', added, ...quantities.flatMap((each) => ['--reference-unit', each]), '--json'])
    expect(JSON.parse((await measure('100g', '0.5 l')).out).referenceUnits).toEqual([
      { value: 100, unit: 'g' },
      { value: 0.5, unit: 'l' },
    ])
    expect((await tenant(['show', added])).out).toContain('unit prices per 100 g, 0.5 l')
    for (const [quantities, fault] of [
      [['100 stone'], 'is a quantity in g, kg, ml, l, m, m2, m3, such as 100g, or none'],
      [['0g'], 'is a quantity in g'],
      [['100g', '1kg'], 'has two quantities of one kind'],
    ] as const)
      expect(await measure(...quantities)).toMatchObject({
        code: 2,
        err: expect.stringContaining(`--reference-unit ${fault}`),
      })
    expect(JSON.parse((await measure('none')).out).referenceUnits).toEqual([])
    expect((await tenant(['show', added])).out).toContain('unit prices per 1 kg, l, m, m2 or m3')
    const wrongHosts = ['--add-host', bystander.host, '--remove-host', added]
    const wrongLocales = ['--add-locale', 'fr-FR', '--remove-locale', 'en-US', '--remove-locale', 'de-DE']
    const wrong = await tenant(['update', added, ...wrongHosts, ...wrongLocales])
    expect(wrong.code).toBe(1)
    expect(wrong.err.split('\n')).toEqual([
      `${bystander.host} is a host of the tenant ${bystander.host} already.`,
      `${added} is its primary host: name another with --primary-host.`,
      'fr-FR is a locale of it already.',
      'de-DE is no locale of it.',
      'en-US is its default locale, which stays: all documents are stored in it.',
    ])
    expect((await tenant(['update', 'nobody', '--name', 'x'])).err).toContain('There is no tenant nobody.')
  })
})

describe('tokens from before a revocation are rejected, later ones are not,', () => {
  async function statusesAfterRevoking(...times: string[]): Promise<number[]> {
    const shop = await openShop()
    const from = (seconds: number) => shop.token({ claims: { iat: Math.floor(Date.now() / 1000) + seconds } })
    const tokens = await Promise.all([from(-60), from(-10), from(4)])
    for (const time of times) {
      const { code, out, err } = await tenant(['update', shop.host, '--revoke-tokens', time])
      expect(code, err).toBe(0)
      expect(out).toMatch(/^ {2}tokens +issued from 20.*Z on are valid$/m)
    }
    return Promise.all(tokens.map(async (token) => (await shop.get('/api/products', { token })).status))
  }

  test('by a time, by now, and although an earlier time follows', async () => {
    const halfAMinuteAgo = new Date(Date.now() - 30_000).toISOString()
    expect(await statusesAfterRevoking(halfAMinuteAgo)).toEqual([401, 200, 200])
    expect(await statusesAfterRevoking('now')).toEqual([401, 401, 200])
    expect(await statusesAfterRevoking('now', '2026-01-01T00:00:00Z')).toEqual([401, 401, 200])
  })

  test('and a time to come or none is refused', async () => {
    const { host } = await openShop()
    for (const time of ['tomorrow', new Date(Date.now() + 60_000).toISOString()])
      expect((await tenant(['update', host, '--revoke-tokens', time])).err).toContain('an earlier time')
  })
})

test('a limit of webhook subscriptions is the tenant’s own', async () => {
  const shop = await openShop()
  expect((await tenant(['update', shop.host, '--subscriptions', '1'])).code).toBe(0)
  const body = { topic: '*', callbackUrl: 'https://hooks.example.com/in' }
  await shop.create('/api/webhook_subscriptions', body)
  const refused = (await shop.post('/api/webhook_subscriptions', { body, status: 422 })).body
  expect(refused).toMatchObject({ slug: 'webhook.limit', message: expect.stringContaining('1') })
})

test('a tenant that is suspended is resumed as if no time had passed', async () => {
  const shop = await openShop()
  const { id } = shop.tenant
  const body = { topic: '*', callbackUrl: 'https://hooks.example.com/in' }
  await shop.create('/api/webhook_subscriptions', body)
  expect(await tenant(['suspend', shop.host])).toMatchObject({
    code: 0,
    out: expect.stringContaining(`npm run tenant -- resume ${shop.host}`),
  })
  const since = (await row(id))?.suspended_at
  expect((await tenant(['suspend', shop.host, '--json'])).code).toBe(0)
  expect((await row(id))?.suspended_at, 'suspended twice').toEqual(since)
  await owner(async (client) => {
    await client.query(`update tenants set suspended_at = now() - interval '100 days' where id = $1`, [id])
    await client.query(
      `update webhook_subscriptions set failing_since = now() - interval '101 days' where tenant_id = $1`,
      [id],
    )
  })
  expect(JSON.parse((await tenant(['resume', shop.host, '--json'])).out)).toMatchObject({
    status: 'ACTIVE',
    suspendedAt: null,
  })
  const { rows } = await owner((client) =>
    client.query(
      `select s.failing_since between now() - interval '25 hours' and now() - interval '23 hours' as shifted,
              t.kept_until > now() + interval '91 hours' as kept
         from webhook_subscriptions s join tenants t on t.id = s.tenant_id where s.tenant_id = $1`,
      [id],
    ),
  )
  expect(rows).toEqual([{ shifted: true, kept: true }])
})

test('all active tenants are suspended and resumed together, and an earlier suspension stays', async () => {
  const [one, other] = [await openShop(), await openShop()]
  await tenant(['suspend', one.host])
  const { code, out } = await tenant(['suspend-all'])
  expect([code, out]).toEqual([0, expect.stringMatching(/^\d+ tenants suspended\./)])
  const statuses = async () => [(await row(one.tenant.id))?.status, (await row(other.tenant.id))?.status]
  expect(await statuses()).toEqual(['SUSPENDED', 'SUSPENDED'])
  await other.get('/api/products', { status: 503 })
  const [undo = ''] = /resume-all .*$/m.exec(out) ?? []
  const resumed = await tenant([...words(undo), '--json'])
  expect(JSON.parse(resumed.out)).toEqual({ resumed: Number(out.split(' ')[0]) })
  expect(await statuses()).toEqual(['SUSPENDED', 'ACTIVE'])
  expect((await tenant(['resume-all'])).err).toContain('--suspended-since is required.')
})

test('locales are added and removed by the command itself, with progress', async () => {
  const shop = await openShop({ locales: ['en-US', 'fr-FR'] })
  const { '@id': iri } = await shop.create('/api/products', { title: 'Shirt' })
  await shop.update(iri, { title: 'Chemise' }, { locale: 'fr-FR' })
  const added = await command('update', shop.host, '--add-locale', 'de-DE')
  expect(added, added.err).toMatchObject({ code: 0, err: '100 %  de-DE\n' })
  expect(added.out).toMatch(
    /^de-DE: all products are indexed for it; those written since .*Z are once more, from .*Z on\. The service does the rest/m,
  )
  expect(added.out).toMatch(/^de-DE: searched by its own words .* until then by those .* else of en-US\.$/m)
  const [, known = ''] = /^de-DE: read and written from (\S+Z) on at the latest/m.exec(added.out) ?? []
  const asked = await owner(async (client) => {
    const { rows } = await client.query('select asked_at from locale_changes where tenant_id = $1', [
      shop.tenant.id,
    ])
    return rows[0].asked_at.getTime()
  })
  expect(Date.parse(known) - asked).toBe(61_000)
  const indexed = (locale: string) =>
    owner(async (client) => {
      const { rowCount } = await client.query(
        'select from product_search where tenant_id = $1 and locale = $2',
        [shop.tenant.id, locale],
      )
      return rowCount
    })
  expect(await indexed('de-DE')).toBe(1)
  const question = await tenant(['update', shop.host, '--remove-locale', 'fr-FR'])
  expect(question).toMatchObject({
    code: 2,
    err: expect.stringContaining('Without a terminal this requires --yes.'),
  })
  expect(await tenant(['update', shop.host, '--remove-locale', 'fr-FR'], 'no')).toMatchObject({
    code: 1,
    err: expect.stringContaining('Nothing was changed.'),
  })
  expect((await row(shop.tenant.id))?.leaving).toEqual([])
  // As if every Worker knew of it two minutes after: the last pass is due at once.
  const settle = `update locale_changes set settles_at = now(), due_at = now(), pass_began_at = now() where tenant_id = $1`
  const removed = command('update', shop.host, '--remove-locale', 'fr-FR', '--yes', '--wait', '--json')
  const hurry = setInterval(() => owner((client) => client.query(settle, [shop.tenant.id])), 300)
  expect(JSON.parse((await removed.finally(() => clearInterval(hurry))).out)).toMatchObject({
    locales: ['en-US', 'de-DE'],
    localeChanges: [],
  })
  expect(await indexed('fr-FR')).toBe(0)
}, 60_000)

describe('a tenant that is removed', () => {
  /** How many rows each table with a tenant has of one. */
  const rowsOf = (id: string): Promise<Record<string, number>> =>
    owner(async (client) => {
      const { rows } = await client.query<{ name: string }>(`
        select c.relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'tenant_id'
         where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') order by 1`)
      const counts: [string, number][] = []
      for (const { name: table } of rows) {
        const { rows: counted } = await client.query(
          `select count(*)::int as rows from ${table} where tenant_id = $1`,
          [id],
        )
        counts.push([table, counted[0].rows])
      }
      return Object.fromEntries(counts)
    })

  /** One row at least in every table that has a tenant. */
  async function fullShop(): Promise<Shop> {
    const { shop } = await openWorld()
    const { id } = shop.tenant
    const event = 'select id, sequence, kind, resource_id from events where tenant_id = $1 limit 1'
    await shop.create('/api/categories', { title: 'Once' }, { headers: { 'idempotency-key': 'once' } })
    await owner(async (client) => {
      for (const sql of [
        `insert into revoked_tokens values ($1, 'x', 'infinity')`,
        `insert into locale_changes (tenant_id, locale, action) values ($1, 'de-DE', 'index')`,
        `insert into webhook_hosts (tenant_id, host, failures) values ($1, 'hooks.example.com', 1)`,
        `insert into collection_rules values ($1, 1) on conflict do nothing`,
        `insert into sale_offer_boundaries values ($1) on conflict do nothing`,
        `insert into housekeeping values ($1)`,
        `insert into price_rebuilds values ($1, gen_random_uuid(), gen_random_uuid(), now(), true) on conflict do nothing`,
        `insert into variant_prices values ($1, gen_random_uuid(), gen_random_uuid(), now(), now(), gen_random_uuid(), gen_random_uuid(), 1, true, true)`,
        `insert into product_prices values ($1, gen_random_uuid(), gen_random_uuid(), now(), now(), 1, true)`,
        `insert into former_handles select $1, 'former', id, now() from products where tenant_id = $1`,
        `insert into bulk_operations (tenant_id, id, actor, request_id, origin, api_version, locale, is_strict, stops_on_error, is_dry_run, lines, bytes, created_at)
         values ($1, $1, '{}', '', '', '', '', false, false, false, 1, 1, now())`,
        `insert into bulk_operation_pieces values ($1, $1, 1, '')`,
        `insert into bulk_operation_results values ($1, $1, 1, 201, false)`,
        `insert into tenant_epochs values ($1, 1, now(), now(), 1, 3)`,
        `insert into collection_rebuilds select $1, gen_random_uuid(), 1, gen_random_uuid(), now(), '{}', '', ''`,
        `insert into webhook_deliveries (tenant_id, id, subscription_id, event_id, event_sequence, topic, kind, resource_id, resource_version,
           payload_version, locale, scopes, next_attempt_at, created_at)
         select $1, gen_random_uuid(), s.id, e.id, e.sequence, '*', e.kind, e.resource_id, 1, '2026-10', 'en-US', '{}', now(), now()
           from (${event}) e cross join (select id from webhook_subscriptions where tenant_id = $1 limit 1) s`,
        `insert into webhook_attempts (tenant_id, delivery_id, number, callback_url, started_at)
         select $1, id, 1, '', now() from webhook_deliveries where tenant_id = $1`,
      ])
        await client.query(sql, [id])
    })
    return shop
  }

  const exported = (file: string, host: string, sequence: number, whole = true): string => {
    const path = join(directory, file)
    const lines = [
      {
        kind: 'export',
        format: 1,
        tenant: { host, name: 'Shop', locales: ['en-US'] },
        migration: '',
        sequence: 1,
      },
      { kind: 'products', id: 'x', row: {} },
    ]
    const text = `${lines.map((each) => JSON.stringify(each)).join('\n')}\n`
    writeFileSync(path, text)
    const writer = new LineWriter(path, text.length)
    if (whole) writer.seal({ kind: 'end', sequence, counts: {}, checksums: {}, rebuilding: [] })
    writer.close()
    return path
  }

  test('leaves no row in any table, and changes no row of another tenant', async () => {
    const shop = await fullShop()
    const { id } = shop.tenant
    const before = await rowsOf(id)
    expect(Object.entries(before).filter(([, rows]) => rows === 0)).toEqual([])
    expect(Object.keys(before).length).toBeGreaterThan(25)
    const others = await rowsOf(bystander.tenant.id)

    const served = await tenant(['remove', shop.host, '--without-export', '--yes'])
    expect(served).toMatchObject({
      code: 1,
      err: expect.stringContaining(`npm run tenant -- suspend ${shop.host}`),
    })
    expect((await tenant(['suspend', shop.host])).code).toBe(0)
    await owner((client) =>
      client.query(`update tenants set suspended_at = now() - interval '1 minute' where id = $1`, [id]),
    )
    expect(await tenant(['remove', shop.host, '--without-export'])).toMatchObject({ code: 2 })
    expect(await tenant(['remove', shop.host, '--without-export'], 'yes')).toMatchObject({ code: 1 })
    expect(await rowsOf(id)).toEqual(before)

    const removed = await tenant(['remove', shop.host, '--without-export', '--json'], shop.host)
    expect(removed.code, removed.err).toBe(0)
    expect(removed.err).toMatch(/This deletes all data of .*: 3 products, \d+ events, \d+ rows in total\./)
    expect(JSON.parse(removed.out)).toMatchObject({ removed: { host: shop.host } })
    expect(Object.entries(await rowsOf(id)).filter(([, rows]) => rows > 0)).toEqual([])
    expect(await row(id)).toBeUndefined()
    expect(await rowsOf(bystander.tenant.id)).toEqual(others)
  })

  test('has been exported, whole and as it is', async () => {
    const shop = await openShop()
    await shop.create('/api/categories', { title: 'Shoes' })
    await tenant(['suspend', shop.host])
    const remove = (path: string) => tenant(['remove', shop.host, '--exported', path, '--yes'])
    // A wrong file is reported before the command waits for the Worker.
    expect((await remove(exported('foreign', bystander.host, 1))).err).toMatch(/^\S+ is an export of/)
    await owner((client) =>
      client.query(`update tenants set suspended_at = now() - interval '1 minute' where id = $1`, [
        shop.tenant.id,
      ]),
    )
    const nowhere = join(directory, 'nowhere')
    const altered = exported('altered', shop.host, 1)
    writeFileSync(altered, readFileSync(altered, 'utf8').replace('"x"', '"y"'))
    for (const [path, said] of [
      [nowhere, 'There is no file'],
      [altered, 'differs from its content'],
      [exported('foreign', bystander.host, 1), `is an export of ${bystander.host}`],
      [exported('broken', shop.host, 1, false), 'is not complete'],
      [exported('old', shop.host, 0), 'has changed since: it is at 1'],
    ] as const) {
      expect(await remove(path), path).toMatchObject({ code: 1, err: expect.stringContaining(said) })
    }
    expect(await remove(exported('good', shop.host, 1))).toMatchObject({
      code: 0,
      out: expect.stringContaining(`in the bucket below ${shop.tenant.id}/`),
    })
    expect(await row(shop.tenant.id)).toBeUndefined()
  })

  test('is never served again once it has begun, and continues after an interruption', async () => {
    const shop = await openShop()
    await shop.create('/api/categories', { title: 'Shoes' })
    await owner((client) =>
      client.query(
        `update tenants set status = 'REMOVING', suspended_at = now() - interval '1 hour' where id = $1`,
        [shop.tenant.id],
      ),
    )
    for (const action of ['resume', 'suspend']) {
      expect(await tenant([action, shop.host])).toMatchObject({
        code: 1,
        err: expect.stringContaining(`npm run tenant -- remove ${shop.host}`),
      })
    }
    expect(await tenant(['update', shop.host, '--name', 'x'])).toMatchObject({ code: 1 })
    expect(await tenant(['remove', shop.host, '--exported', join(directory, 'any'), '--yes'])).toMatchObject({
      code: 0,
    })
    expect(await row(shop.tenant.id)).toBeUndefined()
  })
})
