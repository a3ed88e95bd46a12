import type { Scope } from '../../core/scopes.ts'
import type { Wire } from './wire.ts'

/** What a check has to work with. */
export type CheckSurroundings = {
  readonly wire: Wire
  /** Begins the name of everything that is made, and is the tag of every product: `verify-1b9d6bcd`. */
  readonly mark: string
  readonly receiver: ReceiverPlace | null
  /** Whether the rate limit is to be exceeded, whatever it is. */
  readonly pastLimit: boolean
  readonly signal: AbortSignal
}

/** Where webhooks are received: on a port of this machine, which the service calls under an address. */
type ReceiverPlace = {
  readonly port: number
  /** Null for the loopback address that it listens on. */
  readonly url: URL | null
}

/** Something that the service promises, tried from outside. */
export type Check = {
  readonly name: string
  /** What the token needs for it. */
  readonly scopes: readonly Scope[]
  /** Tries it, and tells what was seen. @throws Failed, NotTried */
  readonly run: (around: CheckSurroundings) => Promise<string>
}

/** The body of a product that can be told from every other. */
export const marked = (mark: string, name: string) => ({ title: `${mark} ${name}`, tags: [mark] })

/** What it takes to make products, to read them, and to archive them. */
export const writesProducts: readonly Scope[] = ['products:read', 'products:write']
