/** One history: changes, deliveries and mishaps in an order that a seed decides, then everything heals and comes to rest. */
import type { Reply } from '../support/shop.ts'
import { pending } from './books.ts'
import { submitFile } from './bulk.ts'
import { Client } from './client.ts'
import type { Line } from './database-line.ts'
import { PriceFollower } from './prices.ts'
import { type Behaviour, wellBehaved } from './receiver.ts'
import { Follower, Restores } from './restores.ts'
import { openWorld, type World } from './world.ts'

/** A subscription of a history, and what befell it. */
export type Subscribed = {
  readonly id: string
  readonly topic: string
  readonly secrets: string[]
  readonly plain: boolean
  /** It was paused, moved or called gone: its deliveries may have been held up behind those of later events. */
  disturbed: boolean
  deleted: boolean
}

export type Outcome = {
  readonly world: World
  readonly client: Client
  readonly subscriptions: readonly Subscribed[]
  readonly follower: Follower
  readonly priceFollower: PriceFollower
  /** Entity tags of a lost time that matched a later version. */
  readonly matchingTags: readonly string[]
}

const second = 1000
const minute = 60 * second

/** Runs the history of a seed to its end. */
export async function runHistory(seed: number, resolver: string): Promise<Outcome> {
  const world = await openWorld(seed, resolver)
  const { chance } = world
  const client = new Client(world)
  await client.begin()
  const subscriptions = await subscribe(world)
  const follower = new Follower(world)
  const priceFollower = new PriceFollower(world)
  const restores = new Restores()
  const isRestored = chance.is(0.4)
  misbehave(world)
  for (let left = 14 + chance.below(18); left > 0; left -= 1) {
    const act = chance.weighted({
      change: 6,
      price: 4,
      race: 2,
      subscription: 1,
      consume: 8,
      minute: 3,
      mishap: 2,
      together: 3,
      quiet: 1,
      file: 1,
      batch: 0.7,
      dryRun: 0.3,
    })
    await acts[act]!(world, client, subscriptions)
    world.pass(chance.below(3 * second))
    if (chance.is(0.1)) world.pass(chance.one([minute, 6 * minute, 3 * 60 * minute]))
    if (chance.is(0.2)) await follower.follow()
    if (chance.is(0.3)) await priceFollower.follow()
    if (isRestored && chance.is(0.2)) await restores.act(world, client, subscriptions)
  }
  await heal(world, subscriptions)
  const matchingTags = await restores.matchingTags(world)
  await rest(world)
  await follower.follow()
  await priceFollower.follow()
  return { world, client, subscriptions, follower, priceFollower, matchingTags }
}

type Act = (world: World, client: Client, subscriptions: readonly Subscribed[]) => Promise<unknown>

const acts: Readonly<Record<string, Act>> = {
  change: (_, client) => client.change(),
  price: (_, client) => client.price(),
  race: (_, client) => client.race(),
  file: (world, client) => submitFile(world, client),
  batch: (_, client) => client.batch(),
  dryRun: (_, client) => client.dryRun(),
  consume: (world) => world.consume(),
  minute: (world) => world.minute(),
  together: (world, client) =>
    Promise.all([world.consume(), world.minute(), client.change(), client.price(), world.consume()]),
  subscription: (world, _, subscriptions) => changeOne(world, subscriptions),
  async quiet(world, client) {
    // Minutes without a write, so that the cron sleeps. Then a write commits, its response is lost, and its worker dies.
    for (let passed = 0; passed < 4; passed += 1) {
      world.pass(minute)
      await world.minute()
      for (let left = 20; left > 0 && (await world.consume()); left -= 1);
    }
    await world.settled()
    if (world.chance.is(0.4)) world.pass(-20 * minute)
    const { crashes } = world
    Object.assign(world.line, { fault: 'response lost', times: 1 })
    world.crashes = 1
    await client.change()
    Object.assign(world.line, { fault: 'none', times: 0 })
    world.crashes = crashes
    world.pass(minute)
    await world.minute()
  },
  async mishap(world, client) {
    const mishap = world.chance.weighted({ purge: 1, away: 1, back: 1, jump: 1, cut: 2, cancel: 1 })
    if (mishap === 'purge') world.queue.purge()
    if (mishap === 'back') world.pass(-20 * minute)
    if (mishap === 'jump') world.pass(world.chance.one([-6, 12]) * 60 * minute)
    if (mishap === 'cut' || mishap === 'cancel') {
      // It commits and the answer is lost, or it is rolled back; the line is dead until the client was refused and asks again.
      Object.assign(world.line, {
        fault: mishap === 'cut' ? 'lost for long' : 'cancelled for long',
        times: 1,
      })
      client.refused = () => {
        world.line.away = false
      }
      await client.change()
      Object.assign(world.line, { fault: 'none', times: 0, away: false })
    }
    if (mishap === 'away') {
      // Ten minutes without a database, in which everything is still tried.
      world.line.away = true
      await client.change()
      for (let passed = 0; passed < 3; passed += 1) {
        await world.minute()
        await world.consume()
        world.pass(200 * second)
      }
      world.line.away = false
    }
  },
}

/** Topics, each with fields that its resources have. */
const topics = {
  '*': ['title', 'version'],
  'product/*': ['title', 'variants.*.id', 'handle'],
  'product/updated': ['variants.id', 'categories.children'],
  'sale_offer/*': ['amount', 'variant'],
  'category/created': ['title'],
} as const
const addresses = [
  'https://one.shop.dev/in',
  'https://one.shop.dev/other',
  'https://two.shop.dev/in',
] as const

async function subscribe(world: World): Promise<Subscribed[]> {
  const made: Subscribed[] = []
  for (let left = 2 + world.chance.below(2); left > 0; left -= 1) {
    const { chance, shop } = world
    const topic = chance.one(Object.keys(topics) as (keyof typeof topics)[])
    const plain = chance.is(0.6)
    const body = {
      topic,
      callbackUrl: chance.one(addresses),
      version: chance.one([null, '2026-07', '2026-10']),
      locale: chance.one([null, 'fr-FR']),
      ...(plain ? {} : { includeFields: topics[topic] }),
    }
    const subscription = await shop.create('/api/webhook_subscriptions', body)
    made.push({
      id: subscription.id,
      topic,
      secrets: [subscription.secret],
      plain,
      disturbed: false,
      deleted: false,
    })
  }
  return made
}

async function changeOne({ chance, shop }: World, subscriptions: readonly Subscribed[]): Promise<void> {
  const subscription = chance.one(subscriptions)
  const path = `/api/webhook_subscriptions/${subscription.id}`
  const kind = chance.weighted({ pause: 2, resume: 2, fields: 1, rotate: 1, move: 1, remove: 0.3 })
  if (kind === 'pause' || kind === 'move' || kind === 'remove') subscription.disturbed = true
  const ask = async (asking: () => Promise<Reply>) => asking().catch(() => null)
  if (kind === 'pause') await ask(() => shop.patch(path, { body: { status: 'PAUSED' } }))
  if (kind === 'resume') await ask(() => shop.patch(path, { body: { status: 'ACTIVE' } }))
  if (kind === 'fields')
    await ask(() => shop.patch(path, { body: { includeFields: subscription.plain ? null : ['version'] } }))
  if (kind === 'move') await ask(() => shop.patch(path, { body: { callbackUrl: chance.one(addresses) } }))
  if (kind === 'remove') {
    subscription.deleted = true
    await ask(() => shop.delete(path))
  }
  if (kind === 'rotate') {
    const rotated = await ask(() => shop.post(`${path}/rotate_secret`))
    if (rotated?.body?.secret) subscription.secrets.push(rotated.body.secret)
    // Rotated or not: after a lost response the secret is unknown, and no signature verifies until the next rotation.
    else subscription.secrets.push('unknown')
  }
}

const rough: Behaviour = {
  accept: 60,
  fail: 14,
  'ask for patience': 4,
  redirect: 2,
  'hang up': 6,
  'time out': 3,
  'accept and time out': 4,
  'accept slowly': 3,
  'fail slowly': 2,
  'be gone': 0,
}

/** How this history is unkind: some are all over, some in one way alone. */
function misbehave(world: World): void {
  const { chance, queue, receivers, line } = world
  const often = () => (chance.is(0.5) ? chance.next() * 0.15 : 0)
  world.crashes = often()
  if (chance.is(0.3)) world.wakeUpFailures = 0.3
  Object.assign(queue.faults, {
    refused: often(),
    sentButReported: often(),
    doubled: often() * 2,
    late: often() * 2,
  })
  receivers.behaviour = chance.is(0.7) ? rough : wellBehaved
  if (chance.is(0.2)) receivers.behaviours.set(addresses[2], { ...wellBehaved, accept: 0, 'hang up': 1 })
  if (chance.is(0.1)) receivers.behaviours.set(addresses[1], { ...wellBehaved, accept: 5, 'be gone': 1 })
  receivers.unresolved = often() / 3
  receivers.misled = often() / 3
  const faulty = often()
  const losesRebuilds = chance.is(0.6)
  line.rebuildLoss = () => (losesRebuilds && chance.is(0.7) ? chance.one(['before', 'after']) : null)
  line.before = (batch: Line) => {
    if (!chance.is(faulty)) return
    batch.times = 1
    batch.fault = chance.one([
      'request lost',
      'response lost',
      'late',
      'cancelled',
      {
        statement: chance.below(Math.max(1, batch.statements)),
        sqlstate: chance.one(['40P01', '57014', '55P03']),
      },
    ])
  }
}

async function heal(world: World, subscriptions: readonly Subscribed[]): Promise<void> {
  const { queue, receivers, line, shop } = world
  await world.settled()
  await line.rolledBack()
  world.crashes = 0
  world.wakeUpFailures = 0
  Object.assign(queue.faults, { refused: 0, sentButReported: 0, doubled: 0, late: 0 })
  receivers.behaviour = wellBehaved
  receivers.behaviours.clear()
  Object.assign(receivers, { unresolved: 0, misled: 0 })
  Object.assign(line, { before: undefined, rebuildLoss: () => null, fault: 'none', times: 0, away: false })
  for (const subscription of subscriptions) {
    if (subscription.deleted) continue
    const path = `/api/webhook_subscriptions/${subscription.id}`
    const { body, status } = await shop.get(path, { version: 'unstable' })
    if (status === 200 && body.status === 'PAUSED') await shop.update(path, { status: 'ACTIVE' })
  }
}

/** Lets time pass until nothing is left to do: four days at most, so that the longest schedule comes to its end. */
async function rest(world: World): Promise<void> {
  const steps = [
    second,
    10 * second,
    minute,
    minute,
    5 * minute,
    30 * minute,
    2 * 60 * minute,
    6 * 60 * minute,
  ]
  for (let step = 0; step < 30; step += 1) {
    for (let left = 200; left > 0 && (await world.consume()); left -= 1);
    await world.minute()
    for (let left = 200; left > 0 && (await world.consume()); left -= 1);
    await world.settled()
    if (world.queue.size === 0 && (await pending(world.shop)) === 0) return
    world.pass(steps[Math.min(step, steps.length - 1)]!)
  }
}
