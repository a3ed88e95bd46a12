import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { type Assets, areCurrent, build } from './build.ts'

const tree = mkdtempSync(join(tmpdir(), 'assets-'))
afterAll(() => rmSync(tree, { recursive: true, force: true }))

const write = (file: string, text: string) => {
  mkdirSync(join(tree, file, '..'), { recursive: true })
  writeFileSync(join(tree, file), text)
}
const read = (file: string) => readFileSync(join(tree, file), 'utf8')

/** One file for each word of its source. */
const words: Assets = {
  name: 'Words',
  folders: ['words'],
  sources: ['src/words/*'],
  async make(to) {
    mkdirSync(join(to, 'words'), { recursive: true })
    for (const word of read('src/words/all.txt').split(' ')) writeFileSync(join(to, 'words', word), word)
  },
}

beforeEach(async () => {
  write('package-lock.json', '{}')
  write('src/local/build.ts', '')
  write('src/words/all.txt', 'one two')
  await build(words, tree)
})

test('what was built is current until its sources, the lock file or the builder change', async () => {
  for (const file of ['src/words/all.txt', 'src/words/new.txt', 'package-lock.json', 'src/local/build.ts']) {
    expect(areCurrent(words, tree)).toBe(true)
    write(file, 'two three')
    expect(areCurrent(words, tree), file).toBe(false)
    await build(words, tree)
  }
  rmSync(join(tree, 'dist/assets/words'), { recursive: true })
  expect(areCurrent(words, tree)).toBe(false)
})

test('a build deletes its own files whose sources are gone, and no other file', async () => {
  write('dist/assets/others/kept', 'kept')
  write('src/words/all.txt', 'two three')
  await build(words, tree)
  expect(['one', 'two', 'three'].map((each) => existsSync(join(tree, 'dist/assets/words', each)))).toEqual([
    false,
    true,
    true,
  ])
  expect(read('dist/assets/others/kept')).toBe('kept')
})

test('a build that fails leaves the previous files, and is not current', async () => {
  write('src/words/all.txt', 'three')
  const fails = { ...words, make: () => Promise.reject(new Error('broken')) }
  await expect(build(fails, tree)).rejects.toThrow('broken')
  expect(read('dist/assets/words/one')).toBe('one')
  expect(areCurrent(words, tree)).toBe(false)
})
