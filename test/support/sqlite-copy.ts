/** A copy of a catalogue in SQLite with foreign keys, built from its events one by one. */
import { DatabaseSync } from 'node:sqlite'
import type { Shop } from './shop.ts'

export type Document = Record<string, unknown> & { '@id': string; version: number }

/** The references of each resource: the column and the table that it refers to. */
const references: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  category: { parent: 'category' },
  product: {},
  product_option: { product: 'product' },
  option_value: { option: 'product_option' },
  variant: { product: 'product' },
  sale_offer: { variant: 'variant', product: 'product' },
  purchase_offer: { variant: 'variant', product: 'product' },
}

function openCopy() {
  const copy = new DatabaseSync(':memory:')
  copy.exec('pragma foreign_keys = on')
  for (const [table, columns] of Object.entries(references)) {
    const foreign = Object.entries(columns).map(([name, other]) => `${name} text references ${other} (iri)`)
    copy.exec(`create table ${table} (${['iri text primary key', 'version int', ...foreign].join(', ')})`)
  }
  copy.exec(`create table product_category (
    product text references product (iri), category text references category (iri))`)
  copy.exec(`create table variant_value (
    variant text references variant (iri), value text references option_value (iri))`)
  return {
    /** Applies one event on its own: SQLite checks the foreign keys at once. */
    apply(subject: string, document: Document) {
      const columns = references[subject]
      if (!columns) return
      const names = ['iri', 'version', ...Object.keys(columns)]
      const values = names.map((name) => textOf(name === 'iri' ? document['@id'] : document[name]))
      const marks = names.map(() => '?').join(', ')
      const changes = names.map((name) => `${name} = excluded.${name}`).join(', ')
      copy
        .prepare(
          `insert into ${subject} (${names.join(', ')}) values (${marks}) on conflict do update set ${changes}`,
        )
        .run(...values)
      if (subject === 'product') link('product_category', document, document.categories)
      if (subject === 'variant') link('variant_value', document, document.optionValues)
    },
    rows: () =>
      Object.fromEntries(
        Object.keys(references).map((table) => [
          table,
          copy.prepare(`select iri, version from ${table} order by iri`).all(),
        ]),
      ),
  }

  function link(table: string, owner: Document, linked: unknown) {
    const [from, to] = table.split('_')
    copy.prepare(`delete from ${table} where ${from} = ?`).run(owner['@id'])
    for (const each of linked as Document[])
      copy.prepare(`insert into ${table} (${from}, ${to}) values (?, ?)`).run(owner['@id'], textOf(each))
  }
}

/** The IRI of an embedded resource, or the value itself. */
function textOf(value: unknown): string | number | null {
  if (typeof value === 'object' && value !== null) return (value as Document)['@id']
  return typeof value === 'number' || typeof value === 'string' ? value : null
}

/** The rows of a copy that applies a tenant's events in their order. SQLite throws where a reference has no row yet. */
export async function copyOf(shop: Shop) {
  const copy = openCopy()
  for (let after = 0; ; ) {
    const body = await shop.read(`/api/events?after=${after}&itemsPerPage=7`)
    const events = body.member as { sequence: number; topic: string; document: Document }[]
    for (const { topic, document } of events) copy.apply(topic.split('/')[0] ?? '', document)
    const last = events.at(-1)
    if (!last) return copy.rows()
    after = last.sequence
  }
}
