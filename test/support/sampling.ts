/** Types and helpers for the files of `test/samples`. */

/** Input for a successful call of one operation: its path parameters, its required query, and its body. */
export type Sample = {
  readonly params: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string>>
  readonly body?: unknown
}

/** A document that was made. */
export type Made = { readonly '@id': string; readonly id: string; readonly [name: string]: unknown }

/** A shop that samples are made in. */
export type Workshop = {
  readonly post: (path: string, options: { body: unknown }) => Promise<Reply>
  readonly get: (path: string) => Promise<Reply>
  readonly delete: (path: string) => Promise<Reply>
  /** Posts a body and returns the created document. @throws if nothing was created */
  readonly make: <Document = Made>(path: string, body: unknown) => Promise<Document>
  /** A number that was not given before. */
  readonly count: () => number
  /** A text that no other shop and no other sample has. */
  readonly next: () => string
}

type Reply = { readonly status: number; readonly body: ReturnType<typeof JSON.parse> }

/** Makes the things that a resource's operations are called on; answers how, by the operation's name. */
export type Samples = (shop: Workshop) => Promise<Readonly<Record<string, () => Sample>>>

/** Makes one resource of each kind, by its subject, that shows the text `canary-<subject>` and is the only one that does. */
export type Canaries = (shop: Workshop) => Promise<Readonly<Record<string, Made>>>

/** The exports of one file of `test/samples`. `canaries` only if the resource has events. */
export type SamplesModule = { readonly samples: Samples; readonly canaries?: Canaries }

/** Creates a resource once in each shop, for all samples that depend on it. */
export function once<Things>(make: (shop: Workshop) => Promise<Things>): (shop: Workshop) => Promise<Things> {
  const kept = new WeakMap<Workshop, Promise<Things>>()
  return (shop) => {
    const made = kept.get(shop) ?? make(shop)
    kept.set(shop, made)
    return made
  }
}

/** The shop as samples see it. */
export function workshopIn({
  post,
  get,
  delete: remove,
}: Pick<Workshop, 'post' | 'get' | 'delete'>): Workshop {
  let counted = 0
  const count = () => (counted += 1)
  return {
    post,
    get,
    delete: remove,
    count,
    next: () => `${Date.now().toString(36)}-${count()}`,
    async make(path, body) {
      const answer = await post(path, { body })
      if (answer.status !== 201)
        throw new Error(`POST ${path} → ${answer.status} ${JSON.stringify(answer.body)}`)
      return answer.body
    },
  }
}

/** The body that replaces the texts of anything with a title. */
export function sampleTexts({ next }: Workshop): object {
  return { translations: { 'en-US': { title: next() } } }
}
