import { Webhook } from 'standardwebhooks'
import type { Chance } from './chance.ts'

/** A POST that reached a receiver. */
export type Receipt = {
  readonly url: string
  readonly id: string
  readonly text: string
  readonly headers: Readonly<Record<string, string>>
  /** The history's clock when it came, in milliseconds. */
  readonly at: number
  /** Whether the receiver took it: it answered 2xx, or would have if its answer had arrived in time. */
  accepted: boolean
  /** Whether it answered that it is gone, which disables the subscription at once. */
  gone: boolean
}

/** The behaviours of a receiver, and how often; only `accept` once a history heals. */
export type Behaviour = Readonly<
  Record<
    | 'accept'
    | 'fail'
    | 'ask for patience'
    | 'redirect'
    | 'hang up'
    | 'time out'
    | 'accept and time out'
    | 'accept slowly'
    | 'fail slowly'
    | 'be gone',
    number
  >
>

export const wellBehaved: Behaviour = {
  accept: 1,
  fail: 0,
  'ask for patience': 0,
  redirect: 0,
  'hang up': 0,
  'time out': 0,
  'accept and time out': 0,
  'accept slowly': 0,
  'fail slowly': 0,
  'be gone': 0,
}

type Surroundings = {
  readonly chance: Chance
  readonly now: () => number
  /** Moves the clock on, by milliseconds, while others work. */
  readonly wait: (milliseconds: number) => Promise<void>
}

/** Receivers behind every address of a history, and the resolver that knows their names. */
export class Receivers {
  readonly receipts: Receipt[] = []
  /** By address; the standard one for all others. */
  readonly behaviours = new Map<string, Behaviour>()
  behaviour: Behaviour = wellBehaved
  /** How often the resolver does not answer, and how often it answers with an address of a private network. */
  unresolved = 0
  misled = 0
  readonly #surroundings: Surroundings

  constructor(surroundings: Surroundings) {
    this.#surroundings = surroundings
  }

  readonly fetch = async (asked: RequestInfo | URL, init?: RequestInit): Promise<Response> => {
    const url = String(asked instanceof Request ? asked.url : asked)
    if (new URL(url).pathname === '/dns-query') return this.#resolve(new URL(url))
    const { chance, now, wait } = this.#surroundings
    const headers = Object.fromEntries(new Headers(init?.headers as Record<string, string>))
    const text = String(init?.body)
    const receipt = {
      url,
      id: headers['webhook-id'] ?? '',
      text,
      headers,
      at: now(),
      accepted: false,
      gone: false,
    }
    this.receipts.push(receipt)
    const take = (status = 204) => {
      receipt.accepted = true
      return new Response(null, { status })
    }
    switch (chance.weighted(this.behaviours.get(url) ?? this.behaviour)) {
      case 'accept':
        return take(chance.one([200, 201, 202, 204]))
      case 'fail':
        return new Response('no', { status: chance.one([400, 404, 500, 503]) })
      case 'ask for patience':
        return new Response(null, {
          status: 429,
          headers: { 'retry-after': chance.one(['7', '1e9', '99999999', 'soon']) },
        })
      case 'redirect':
        return new Response(null, { status: 302, headers: { location: 'http://169.254.169.254/' } })
      case 'hang up':
        throw new TypeError('connection lost')
      case 'time out':
        await wait(15_000)
        throw new DOMException('too slow', 'TimeoutError')
      case 'accept and time out':
        take()
        await wait(15_000)
        throw new DOMException('too slow', 'TimeoutError')
      case 'accept slowly':
        await wait(60_000)
        return take()
      case 'fail slowly':
        await wait(60_000)
        return new Response(null, { status: 500 })
      case 'be gone':
        receipt.gone = true
        return new Response(null, { status: 410 })
    }
  }

  #resolve(question: URL): Response {
    const { chance } = this.#surroundings
    if (chance.is(this.unresolved)) throw new TypeError('the resolver does not answer')
    const data = chance.is(this.misled) ? '10.0.0.7' : '93.184.215.14'
    const isA = question.searchParams.get('type') === 'A'
    return Response.json({ Status: 0, Answer: isA ? [{ type: 1, data }] : [] })
  }
}

/** Milliseconds by which a history moves its clock at once, and by which attempts that wait move it. */
const largestJump = 3 * 60 * 60_000
const waits = 20 * 60_000

/** Whether a receipt verifies with the library that receivers use, at the time at which it was signed, and came soon after that. */
export function verifies(receipt: Receipt, secret: string): boolean {
  const { now } = Date
  const signedAt = Number(receipt.headers['webhook-timestamp']) * 1000
  // The history's clock may move between a signature and its request, also back.
  const isInTime = Math.abs(receipt.at - signedAt) < largestJump + waits
  if (!isInTime) return false
  // The library asks the real clock, and a history has its own.
  Date.now = () => signedAt
  try {
    new Webhook(secret).verify(receipt.text, receipt.headers as Record<string, string>)
    return true
  } catch {
    return false
  } finally {
    Date.now = now
  }
}
