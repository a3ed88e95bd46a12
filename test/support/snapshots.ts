/** Which functions a query runs on a snapshot of their own. */
import { connected, databaseUrls } from './database.ts'

/**
 * The volatile functions of this project that queries call, directly or through other functions. In a statement which commits itself each of
 * them would see commits since its beginning.
 */
export async function volatileIn(queries: readonly string[]): Promise<string[]> {
  const { rows } = await connected(databaseUrls().ownerUrl, (owner) =>
    owner.query<{ name: string; isVolatile: boolean; definition: string }>(
      `select p.proname as name, p.provolatile = 'v' as "isVolatile", pg_get_functiondef(p.oid) as definition from pg_proc p
        where p.pronamespace = 'public'::regnamespace and p.prokind = 'f'
          and not exists (select from pg_depend d where d.objid = p.oid and d.deptype = 'e')`,
    ),
  )
  const byName = Map.groupBy(rows, ({ name }) => name)
  const called = new Set<string>()
  let texts: readonly string[] = queries
  while (texts.length > 0) {
    const names = texts.flatMap((text) => text.match(/\b[a-z_]+(?=\()/g) ?? [])
    const found = [...new Set(names)].filter((name) => byName.has(name) && !called.has(name))
    for (const name of found) called.add(name)
    texts = found.flatMap((name) => byName.get(name)!.map(({ definition }) => definition))
  }
  return [...called].filter((name) => byName.get(name)!.some(({ isVolatile }) => isVolatile)).toSorted()
}
