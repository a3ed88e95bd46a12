/** A tenant in ten languages for the largest resources: the tests measure and check each of its responses. */
import { openWorld, type World } from '../support/webhooks.ts'
import { faultsOf, isRefusedForSize } from './judge.ts'
import { type Custom, type Filling, largest, limitedPaths, TooMuch } from './largest.ts'
import { type Published, publishedOperations } from './schema.ts'

/** A request. */
export type Asked = {
  readonly method: string
  readonly path: string
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

/** The response, with status 0 if the request got none. */
export type Answer = {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  readonly body: ReturnType<typeof JSON.parse>
  readonly bytes: number
  /** Milliseconds of this process. */
  readonly cpu: number
  readonly milliseconds: number
}

/** Something that is wrong, with the request that showed it. */
export type Fault = { readonly what: string; readonly request: string; readonly signature: string }

/** The highest cost of a kind of request. */
export type Cost = {
  readonly name: string
  readonly cpu: number
  readonly milliseconds: number
  readonly bytes: number
}

/** Where a case happens. */
export type Site = {
  readonly world: World
  readonly filling: Filling
  readonly operations: readonly Published[]
  readonly thorough: boolean
  readonly faults: Fault[]
  readonly costs: Map<string, Cost>
  readonly locales: readonly string[]
  /** The paths that could be as large as they may be, of all that was written. */
  readonly paths: Set<string>
  readonly next: () => number
  /** How many requests were made. */
  readonly asked: number
  /** Asks, measures and judges. */
  ask(asked: Asked): Promise<Answer>
  fault(asked: Asked, what: string): void
  /** Asks for what has to be: another status than 2xx is a fault. */
  want(asked: Asked): Promise<Answer>
  /** Writes the largest that is accepted of an operation; null where nothing is. */
  largest(method: string, template: string, options?: Largest): Promise<Answer | null>
}

/** How the largest is written. */
type Largest = {
  /** The address, where it is not the template. */
  readonly path?: string
  readonly rows?: number
  readonly custom?: Custom
  readonly locale?: string
}

const locales = [
  'en-US',
  'fr-FR',
  'de-DE',
  'es-ES',
  'it-IT',
  'nl-NL',
  'pl-PL',
  'sv-SE',
  'da-DK',
  'fi-FI',
] as const

const largestBody = 1024 * 1024
/** Milliseconds after which an answer is not waited for. */
const patience = 120_000

/** Opens a site for resources of a filling. `thorough` sends every kind of request, otherwise only those that a test has time for. */
export async function openSite(filling: Filling, { thorough }: { thorough: boolean }): Promise<Site> {
  const world = await openWorld({ loopback: true, tenant: { locales: [...locales] } })
  const { shop } = world
  const token = await shop.token()
  const operations = await publishedOperations(shop)
  const faults: Fault[] = []
  const costs = new Map<string, Cost>()
  let number = 0
  let asks = 0
  const next = () => (number += 1)

  async function ask(asked: Asked): Promise<Answer> {
    asks += 1
    const answer = await measured(asked)
    const name = nameOf(asked)
    const known = costs.get(name)
    const { cpu, milliseconds, bytes } = answer
    if (!known || known.cpu < cpu) costs.set(name, { name, cpu, milliseconds, bytes })
    for (const what of faultsOf(asked, answer)) fault(asked, what)
    await world.settled()
    return answer
  }

  async function measured({ method, path, body, headers }: Asked): Promise<Answer> {
    const type = path === '/mcp' ? 'application/json' : 'application/ld+json'
    const request = new Request(`http://${shop.host}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        accept: path === '/mcp' ? 'application/json, text/event-stream' : 'application/ld+json',
        'content-type': method === 'PATCH' ? 'application/merge-patch+json' : type,
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const started = performance.now()
    const before = process.cpuUsage()
    const reply = async () => {
      const response = await shop.fetch(request)
      return { response, text: await response.text() }
    }
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(`nothing in ${patience} ms`)), patience)
    })
    const { response, text } = await Promise.race([reply(), late])
      .catch((error: Error) => ({
        response: { status: 0, headers: new Headers() },
        text: `${error.name}: ${error.message}`,
      }))
      .finally(() => clearTimeout(timer))
    const { user, system } = process.cpuUsage(before)
    const milliseconds = performance.now() - started
    const isJson = response.headers.get('content-type')?.includes('json') && text !== ''
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: isJson ? JSON.parse(text) : undefined,
      bytes: Buffer.byteLength(text),
      cpu: (user + system) / 1000,
      milliseconds,
    }
  }

  function fault(asked: Asked, what: string): void {
    const signature = `${nameOf(asked)} ${what.replace(/\d+/g, 'N')}`
    if (faults.some((each) => each.signature === signature)) return
    faults.push({ what, signature, request: shown(asked) })
  }

  async function want(asked: Asked): Promise<Answer> {
    const answer = await ask(asked)
    const { status, text } = answer
    if (status >= 300 && status < 500) fault(asked, `refused with ${status}: ${text.slice(0, 600)}`)
    return answer
  }

  async function writeLargest(
    method: string,
    template: string,
    { path = template, rows = 1, custom = {}, locale }: Largest = {},
  ): Promise<Answer | null> {
    const operation = operations.find((each) => each.method === method && each.template === template)
    if (!operation?.body) throw new Error(`${method} ${template} takes no body`)
    for (const each of limitedPaths(operation.body)) paths.add(each)
    const bodyOf = (share: number) => {
      const of = { ...filling, share }
      const row = (index: number) => largest(operation.body, of, custom, { next }, rows > 1 ? [index] : [])
      return rows > 1 ? Array.from({ length: rows }, (_, index) => row(index)) : row(0)
    }
    const headers: Record<string, string> = locale === undefined ? {} : { 'service-locale': locale }
    // The next resource of a kind begins with the accepted one.
    const kind = `${method} ${template} ${rows}`
    let share = Math.min(largestThatFits(bodyOf, filling.share), accepted.get(kind) ?? 1)
    for (let tries = 0; tries < 30; tries += 1) {
      const asked = { method, path, body: bodyOf(share), headers }
      const answer = await ask(asked)
      if (answer.status >= 200 && answer.status < 300) {
        accepted.set(kind, share)
        return answer
      }
      if (!isRefusedForSize(answer)) {
        if (answer.status < 500) fault(asked, `refused with ${answer.status}: ${answer.text.slice(0, 600)}`)
        return null
      }
      share *= 0.85
    }
    return null
  }

  const paths = new Set<string>()
  const accepted = new Map<string, number>()
  const site: Site = {
    world,
    filling,
    operations,
    thorough,
    faults,
    costs,
    locales,
    paths,
    next,
    get asked() {
      return asks
    },
    ask,
    fault,
    want,
    largest: writeLargest,
  }
  return site
}

/** The largest share whose body a request may have. */
function largestThatFits(bodyOf: (share: number) => unknown, most: number): number {
  const fits = (share: number) => {
    try {
      return Buffer.byteLength(JSON.stringify(bodyOf(share))) <= largestBody
    } catch (error) {
      if (error instanceof TooMuch) return false
      throw error
    }
  }
  if (fits(most)) return most
  let [low, high] = [0, most]
  for (let step = 0; step < 9; step += 1) {
    const middle = (low + high) / 2
    if (fits(middle)) low = middle
    else high = middle
  }
  return low
}

/** A request without what differs from one thing to another. */
function nameOf({ method, path, headers = {} }: Asked): string {
  const general = decodeURIComponent(path)
    .replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, '{id}')
    .replace(/(cursor|after\]?|from\]|at\])=[^&]*/g, '$1=…')
    .slice(0, 160)
  const more = Object.entries(headers).map(([name, value]) => ` ${name}: ${value}`)
  return `${method} ${general}${more.join('')}`
}

/** A request with as much of its body as can be read. */
function shown({ method, path, headers = {}, body }: Asked): string {
  const lines = Object.entries(headers).map(([name, value]) => `\n  ${name}: ${value}`)
  const text = body === undefined ? '' : JSON.stringify(body)
  const shortened = text.length > 600 ? `${text.slice(0, 600)}… (${Buffer.byteLength(text)} bytes)` : text
  return `${method} ${path}${lines.join('')}${text === '' ? '' : `\n  ${shortened}`}`
}
