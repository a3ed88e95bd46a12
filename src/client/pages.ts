/** The parameters of `view.next` that continue a list. */
type Continuation = { cursor?: string; page?: number; 'updatedAt[after]'?: string; after?: number }

export type Problem = {
  readonly message: string
  readonly detail?: string | null
  readonly slug?: string
  readonly status?: number | null
}

type Read<Page> = (next: Continuation) => Promise<{ readonly data?: Page; readonly error?: Problem }>

/** Reads a list page by page: `read` adds the parameters to its query. @throws CatalogueError */
export async function* pages<Page extends { readonly view?: { readonly next?: string } }>(
  read: Read<Page>,
): AsyncGenerator<Page, void> {
  let next: Continuation | null = {}
  while (next) {
    const { data, error } = await read(next)
    if (data === undefined) throw new CatalogueError(error)
    yield data
    next = data.view?.next === undefined ? null : continuationIn(data.view.next)
  }
}

function continuationIn(link: string): Continuation {
  const { searchParams } = new URL(link, 'https://catalogue.example')
  const [cursor, page, after] = ['cursor', 'page', 'after'].map((name) => searchParams.get(name))
  const updatedAfter = searchParams.get('updatedAt[after]')
  return {
    ...(cursor != null ? { cursor } : page != null && { page: Number(page) }),
    ...(updatedAfter !== null && { 'updatedAt[after]': updatedAfter }),
    ...(after != null && { after: Number(after) }),
  }
}

/** A request that the catalogue refused, or could not perform. `cause` is the problem document. */
export class CatalogueError extends Error {
  override readonly name = 'CatalogueError'
  /** `product.not_found`: the same in all versions. Null for an answer of another server. */
  readonly slug: string | null
  readonly status: number | null

  constructor(problem: Problem | undefined, status: number | null = null) {
    super(
      problem?.detail ??
        problem?.message ??
        `The catalogue refused the request${status ? `: ${status}` : ''}`,
    )
    this.cause = problem
    this.slug = problem?.slug ?? null
    this.status = problem?.status ?? status
  }
}

/** The id in an IRI: the last segment of its path. */
export function idOf(iri: string): string {
  return iri.slice(iri.lastIndexOf('/') + 1)
}
