import { call } from './http.ts'

type Page<Member> = {
  readonly member: readonly Member[]
  readonly totalItems?: number
  readonly view?: { readonly next?: string }
}

/** Reads every member of a list. */
export async function everyMember<Member>(...of: Parameters<typeof everyPage>): Promise<Member[]> {
  const members: Member[] = []
  for await (const page of everyPage<Member>(...of)) members.push(...page.members)
  return members
}

/** Every member of a list, page after page; links continue by key, so that what others write meanwhile moves nothing. */
export async function* everyPage<Member>(
  path: string,
  signal?: AbortSignal,
  headers?: HeadersInit,
): AsyncGenerator<{ readonly members: readonly Member[]; readonly total: number | undefined }> {
  for (let next: string | undefined = path; next !== undefined; ) {
    const asked = { ...(signal && { signal }), ...(headers && { headers }) }
    const page: Page<Member> = (await call<Page<Member>>(next, asked)).json
    yield { members: page.member, total: page.totalItems }
    next = page.view?.next
  }
}
