/** The parameters of `view.next` that continue a list. */
type Continuation = { cursor?: string; page?: number; 'updatedAt[after]'?: string; after?: number }

type Read<Page> = (
  next: Continuation,
) => Promise<{ readonly data?: Page; readonly error?: { readonly message: string } }>

/** Reads a list page by page: `read` adds the parameters to its query. @throws Error with the problem document as its `cause` */
export async function* pages<Page extends { readonly view?: { readonly next?: string } }>(
  read: Read<Page>,
): AsyncGenerator<Page, void> {
  let next: Continuation | null = {}
  while (next) {
    const { data, error } = await read(next)
    if (data === undefined) throw failure(error)
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

/** The error of a problem document. */
export function failure(problem: { readonly message: string } | undefined): Error {
  return new Error(problem?.message ?? 'the catalogue refused the request', { cause: problem })
}

/** The id in an IRI: the last segment of its path. */
export function idOf(iri: string): string {
  return iri.slice(iri.lastIndexOf('/') + 1)
}
