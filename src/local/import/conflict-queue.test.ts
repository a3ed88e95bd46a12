import { expect, test } from 'vitest'
import { Lanes } from './conflict-queue.ts'

/** Work that ends when it is told to, and what has begun and ended. */
function works() {
  const told: string[] = []
  const enders = new Map<string, { done: () => void; failed: (error: Error) => void }>()
  const work = (name: string) => async () => {
    told.push(`${name} begins`)
    await new Promise<void>((resolve, reject) => enders.set(name, { done: resolve, failed: reject }))
    told.push(`${name} ends`)
  }
  return {
    told,
    work,
    end: (name: string) => enders.get(name)?.done(),
    fail: (name: string) => enders.get(name)?.failed(new Error(name)),
  }
}

const turn = () => new Promise((resolve) => setTimeout(resolve))

test('some are under way at once, and the next begins when one of them ends', async () => {
  const lanes = new Lanes(2)
  const { told, work, end } = works()
  await lanes.begin(new Set(), work('a'))
  await lanes.begin(new Set(), work('b'))
  const third = lanes.begin(new Set(), work('c'))
  await turn()
  expect(told).toEqual(['a begins', 'b begins'])
  end('b')
  await third
  expect(told).toEqual(['a begins', 'b begins', 'b ends', 'c begins'])
  end('a')
  end('c')
  await lanes.end()
  expect(told.slice(-2).toSorted()).toEqual(['a ends', 'c ends'])
})

test('what names the same waits for the one before, whatever else ends meanwhile', async () => {
  const lanes = new Lanes(3)
  const { told, work, end } = works()
  await lanes.begin(new Set(['X', 'Y']), work('a'))
  await lanes.begin(new Set(['Z']), work('b'))
  const same = lanes.begin(new Set(['Y']), work('c'))
  end('b')
  await turn()
  expect(told).not.toContain('c begins')
  end('a')
  await same
  expect(told).toEqual(['a begins', 'b begins', 'b ends', 'a ends', 'c begins'])
})

test('a failure is told to who comes next, and at the end when nothing is under way any more', async () => {
  const lanes = new Lanes(2)
  const { told, work, end, fail } = works()
  await lanes.begin(new Set(), work('a'))
  await lanes.begin(new Set(), work('b'))
  const next = lanes.begin(new Set(), work('c'))
  fail('a')
  await expect(next).rejects.toThrow('a')
  const done = lanes.end()
  await turn()
  end('b')
  await expect(done).rejects.toThrow('a')
  expect(told).toEqual(['a begins', 'b begins', 'b ends'])
})

test('a failure that nobody was waiting for is told all the same', async () => {
  const lanes = new Lanes(3)
  const { work, fail, end } = works()
  await lanes.begin(new Set(['X']), work('a'))
  await lanes.begin(new Set(), work('b'))
  const same = lanes.begin(new Set(['X']), work('c'))
  fail('b')
  await turn()
  end('a')
  await expect(same).rejects.toThrow('b')
  await expect(lanes.end()).rejects.toThrow('b')
  await lanes.settled()
})

test('work can wait for what began before it, and not for what began after', async () => {
  const lanes = new Lanes(3)
  const { told, work, end } = works()
  await lanes.begin(new Set(), work('a'))
  await lanes.begin(new Set(), async (ahead) => {
    await ahead
    told.push('behind a')
  })
  await lanes.begin(new Set(), work('c'))
  await turn()
  expect(told).toEqual(['a begins', 'c begins'])
  end('a')
  await turn()
  expect(told).toEqual(['a begins', 'c begins', 'a ends', 'behind a'])
  end('c')
  await lanes.end()
})
