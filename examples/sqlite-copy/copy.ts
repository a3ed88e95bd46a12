/** Keeps a copy of a catalogue in SQLite, verifies it and repairs it. README.md starts it. */
import { DatabaseSync } from 'node:sqlite'
import {
  createCatalogueClient,
  type Progress,
  sync,
  type VerifiableCopy,
  verify,
} from '../../src/client/index.ts'

const { SHOP: baseUrl = 'http://localhost:8787', TOKEN: token = '', FILE = 'catalogue.sqlite' } = process.env
const catalogue = createCatalogueClient({ baseUrl, token, version: '2026-10' })
const database = new DatabaseSync(FILE)
database.exec(`
  create table if not exists resource (iri text primary key, type text not null, version integer not null, document text not null);
  create index if not exists resource_type on resource (type, iri, version);
  create table if not exists position (sequence integer not null)`)
const remove = database.prepare('delete from resource where iri = ?')
const save = database.prepare('insert or replace into resource values (?, ?, ?, ?)')
const versions = database.prepare('select iri, version from resource where type = ?')
/** Changes are committed with the position after them. */
const begin = () => database.isTransaction || database.exec('begin')

const copy: VerifiableCopy = {
  lists: ['metaobjectDefinitions', 'metaobjects', 'categories', 'products', 'collections', 'saleOffers'],
  position: () =>
    (database.prepare('select sequence from position').get()?.sequence as number | undefined) ?? null,
  clear() {
    begin()
    database.exec('delete from resource')
  },
  apply({ resource, document }) {
    begin()
    if (document === null) remove.run(resource)
    else save.run(resource, document['@type'], document.version, JSON.stringify(document))
  },
  store(position) {
    begin()
    database.exec(`delete from position; insert into position values (${position}); commit`)
  },
  *versions(type) {
    for (const { iri, version } of versions.iterate(type)) yield [String(iri), Number(version)]
  },
  onProgress: showProgress,
}

function showProgress({ list, done, total }: Progress) {
  const bar = '█'.repeat(Math.round((done / total) * 30)).padEnd(30, '░')
  process.stderr.write(`\r${list.padEnd(22)} ${bar} ${done} of ${total}${done === total ? '\n' : ''}`)
}

await sync(catalogue, copy)
const repaired = await verify(catalogue, copy)
const [count] = database.prepare('select count(*) as resources from resource').all()
console.log(`${count?.resources} resources, ${repaired} repaired, sequence ${await copy.position()}`)
