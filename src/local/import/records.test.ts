import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { bytesOf } from './file.ts'
import { encodingOf, Lines, quoted, readRecords, type SourceRecord, textOf } from './records.ts'

async function recordsOf(...chunks: string[]): Promise<SourceRecord[]> {
  const { records } = await readRecords(new Lines(chunks), (header) => header.indexOf('Handle'))
  return Array.fromAsync(records)
}

const header = 'Handle,Title,Body,Price'
/** The line, handle and fault of each record. */
const summary = (records: readonly SourceRecord[]) =>
  records.map(({ line, cells, fault }) => [line, cells[0], fault?.column ?? null])

test.each([
  ['is not closed', 'pan,"Pan,x,5', 'Title', '"Pan', ['pan', 'Pan', 'x', '5']],
  [
    'is not closed before another value in quotes',
    'pan,"Pan,"a, b",5',
    'Title',
    '"Pan',
    ['pan', 'Pan', 'a, b', '5'],
  ],
  ['is not opened', 'pan,Pan",x,5', 'Title', 'Pan"', ['pan', 'Pan"', 'x', '5']],
  ['is not doubled', 'pan,"5" Pan",x,5', 'Title', '"5" Pan"', ['pan', '5" Pan"', 'x', '5']],
  ['is not closed on two lines', 'pan,Pan,"one\ntwo,5', 'Body', '"one\ntwo', ['pan', 'Pan', 'one\ntwo', '5']],
])(
  'a quote that %s rejects one record, and the next ones are read',
  async (_, wrong, column, value, cells) => {
    const records = await recordsOf(`${header}\nmug,Mug,x,9\n${wrong}\npot,Pot,"a ""b""\nc",7\ncup,Cup,x,8\n`)
    const after = 4 + wrong.split('\n').length - 1
    expect(summary(records)).toEqual([
      [2, 'mug', null],
      [3, 'pan', column],
      [after, 'pot', null],
      [after + 2, 'cup', null],
    ])
    expect(records[1]).toMatchObject({
      cells,
      fault: { column, value, message: expect.stringContaining('quote') },
    })
  },
)

test('quotes of two rows that fit together do not hide the rows between them', async () => {
  const rows = Array.from({ length: 30 }, (_, index) => `p${index},P,x,1`)
  rows[3] = 'p3,"P,x,1'
  rows[20] = 'p20,P",x,1'
  const records = await recordsOf(`${header}\n${rows.join('\n')}\n`)
  expect(records).toHaveLength(30)
  expect(records.filter(({ fault }) => fault).map(({ line }) => line)).toEqual([5, 22])
})

test('neighbouring rows with open quotes are rejected one by one, also at the end', async () => {
  const records = await recordsOf(`${header}\na,"A,x,1\nb,"B,x,1\nc,C,x,1\nd,"D,x,1`)
  expect(summary(records)).toEqual([
    [2, 'a', 'Title'],
    [3, 'b', 'Title'],
    [4, 'c', null],
    [5, 'd', 'Title'],
  ])
})

test('a text of several lines in quotes is no row, though it has commas', async () => {
  const [record] = await recordsOf(
    `${header}\nmug,Mug,"soft, warm, light, blue\na list, of, four, parts",9\n`,
  )
  expect(record).toMatchObject({ fault: null, cells: ['mug', 'Mug', expect.stringContaining('four'), '9'] })
})

test('a short and a long row are rejected, and blank cells beyond the header are not', async () => {
  const records = await recordsOf(`${header}\na,A\nb,B,x,19,90\nc,C,x,1,,\n`)
  expect(records.map(({ fault }) => fault)).toEqual([
    { column: 'Body', message: 'The row has 2 of 4 columns.' },
    { value: '90', message: expect.stringContaining('5 cells for 4 columns') },
    null,
  ])
  expect(records[2]?.cells).toEqual(['c', 'C', 'x', '1'])
})

test.each([';', '\t', '|'])('columns may be separated by %j', async (separator) => {
  const records = await recordsOf(`${header}\nmug,"a${separator}b",x,9\n`.replaceAll(',', separator))
  expect(records[0]?.cells).toEqual(['mug', `a${separator}b`, 'x', '9'])
})

test('a first line that names the separator is passed over', async () => {
  expect(summary(await recordsOf('sep=;\nHandle;Title, long\nmug;Mug\n'))).toEqual([[3, 'mug', null]])
})

test('a written cell is read unchanged', async () => {
  for (const text of ['a,b', '"a"', ' a', 'a\nb', 'a;b', ''])
    expect((await recordsOf(`Handle,B\nx,${quoted(text)}\n`))[0]?.cells[1]).toBe(text)
})

const bytesIn: Readonly<Record<string, (text: string) => Buffer>> = {
  'utf-8': (text) => Buffer.from(text),
  'utf-16le': (text) => Buffer.from(text, 'utf16le'),
  'utf-16be': (text) => Buffer.from(text, 'utf16le').swap16(),
  'windows-1252': (text) => Buffer.from(text.replaceAll('€', '\x80').replaceAll('’', '\x92'), 'latin1'),
}

test.each([
  ['utf-8', ''],
  ['utf-8', '\uFEFF'],
  ['utf-16le', ''],
  ['utf-16le', '\uFEFF'],
  ['utf-16be', ''],
  ['utf-16be', '\uFEFF'],
  ['windows-1252', ''],
])('a file in %s that begins with %j is decoded', async (name, mark) => {
  const directory = await mkdtemp(join(tmpdir(), 'encoding-'))
  const [path, text] = [join(directory, 'file.csv'), `Handle,Title\ncafe,L’été à 5 €\n${'x'.repeat(70_000)}é`]
  await writeFile(path, bytesIn[name]!(mark + text))
  expect(await encodingOf(bytesOf(path))).toMatchObject({ name, length: text.length })
  expect((await Array.fromAsync(textOf(bytesOf(path), name))).join('')).toBe(text)
  await rm(directory, { recursive: true })
})

test('one wrong byte in a file of UTF-8 rejects its row alone', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'encoding-'))
  const path = join(directory, 'file.csv')
  const [before, after] = ['Handle,Title\ncafe,Café\nthe,Th', ',x\nete,Été\n'].map((text) =>
    Buffer.from(text),
  )
  await writeFile(
    path,
    Buffer.concat([before!, Buffer.from([0xe9]), Buffer.from(after!.toString().replace(',x', ''))]),
  )
  const { name } = await encodingOf(bytesOf(path))
  const records = await recordsOf(...(await Array.fromAsync(textOf(bytesOf(path), name))))
  expect([name, summary(records)]).toEqual([
    'utf-8',
    [
      [2, 'cafe', null],
      [3, 'the', 'Title'],
      [4, 'ete', null],
    ],
  ])
  await rm(directory, { recursive: true })
})
