/** The requests that change the stored options to the wanted ones: as few as possible, without undoing concurrent changes. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  type Entry,
  moves,
  type Option,
  rebasedOptions,
  type Step,
  stepsTo,
} from '../../src/admin/options/plan.ts'

const entry = (title: string, version = 1): Entry => ({ key: `/${title}`, iri: `/${title}`, title, version })
const fresh = (title: string): Entry => ({ key: `new-${title}`, iri: null, title, version: null })
const option = (title: string, ...values: Entry[]): Option => ({ ...entry(title), values })
const before = [option('Size', entry('S'), entry('M'), entry('L')), option('Colour', entry('Red'))]
const [size, colour] = before as [Option, Option]
const [small, medium, large] = size.values as [Entry, Entry, Entry]

const textOf = (steps: readonly Step[]) =>
  steps.map((step) => {
    if (step.do === 'archive') return `archive ${step.variant}`
    if (step.do === 'change') return `change ${step.entry.title} ${JSON.stringify(step.patch)}`
    if (step.do === 'delete') return `delete ${step.entry.title}`
    const within = step.do === 'add' ? ` in ${step.option}` : ''
    return `${step.do} ${step.entry.title}${within} at ${step.position}`
  })
const sized = (...values: Entry[]): Option[] => [{ ...size, values }, colour]

describe('the requests', () => {
  test.each([
    ['nothing', before, []],
    ['a new name', sized({ ...small, title: 'Small' }, medium, large), ['change S {"title":"Small"}']],
    ['one that is dragged to the end', sized(medium, large, small), ['change S {"position":2}']],
    ['one that is dragged to the front', sized(large, small, medium), ['change L {"position":0}']],
    [
      'one that is named and dragged, in one request',
      sized({ ...large, title: 'Large' }, small, medium),
      ['change L {"title":"Large","position":0}'],
    ],
    ['a value more', sized(small, fresh('XS'), medium, large), ['add XS in /Size at 1']],
    ['a value less', sized(small, large), ['delete M']],
    [
      'a name that is free once another is gone',
      sized({ ...medium, title: 'S' }, large),
      ['delete S', 'change M {"title":"S"}'],
    ],
    ['options in another order', [colour, size], ['change Size {"position":1}']],
    ['an option less, with its values', [colour], ['delete Size']],
    [
      'an option more, with its values',
      [...before, { ...fresh('Fit'), values: [fresh('Slim'), fresh('Wide')] }],
      ['create Fit at 2', 'add Slim in new-Fit at 0', 'add Wide in new-Fit at 1'],
    ],
  ])('%s', (_, after, expected) => expect(textOf(stepsTo(before, after))).toEqual(expected))

  test('what goes with a removal goes first', () => {
    expect(textOf(stepsTo(before, sized(small, medium), ['/v1', '/v2']))).toEqual([
      'archive /v1',
      'archive /v2',
      'delete L',
    ])
  })
})

test('moves lead to the wanted order, and no shorter list of them does', () => {
  const keys = ['a', 'b', 'c', 'd', 'e', 'f']
  const order = fc.shuffledSubarray(keys, { minLength: 6 })
  fc.assert(
    fc.property(order, (wanted) => {
      const line = [...keys]
      const found = moves(keys, wanted)
      for (const [key, place] of found) {
        line.splice(line.indexOf(key), 1)
        line.splice(place, 0, key)
      }
      expect(line).toEqual(wanted)
      const rising = Math.max(
        ...Array.from({ length: 64 }, (_, mask) => wanted.filter((_, at) => mask & (1 << at)))
          .filter((part) => part.join() === part.toSorted().join())
          .map((part) => part.length),
      )
      expect(found.size).toBe(keys.length - rising)
    }),
    { seed: 7, numRuns: 200 },
  )
})

describe('what others saved meanwhile', () => {
  const theirs = [
    { ...size, values: [{ ...large, title: 'Large', version: 2 }, small, medium, entry('XL')] },
    { ...colour, title: 'Color', version: 2, values: [] },
  ]
  const shown = (options: readonly Option[]) =>
    options.map(({ title, values }) => `${title}: ${values.map((each) => each.title).join(' ')}`)

  test('keep untouched entries, with their order', () => {
    const mine = sized({ ...small, title: 'Small' }, medium, large, fresh('XS'))
    const rebase = rebasedOptions(mine, before, theirs)
    expect(shown(rebase)).toEqual(['Size: Large Small M XL XS', 'Color: '])
    expect(textOf(stepsTo(theirs, rebase))).toEqual(['change S {"title":"Small"}', 'add XS in /Size at 4'])
  })

  test('is not brought back, nor mine forgotten, where both changed it', () => {
    const mine = sized(medium, small, { ...large, title: 'Grand' })
    expect(shown(rebasedOptions(mine, before, theirs))).toEqual(['Size: M S Grand XL', 'Color: '])
  })

  test('stays removed where I removed it', () => {
    expect(shown(rebasedOptions(sized(small, large), before, theirs))).toEqual([
      'Size: Large S XL',
      'Color: ',
    ])
    expect(shown(rebasedOptions([colour], before, theirs))).toEqual(['Color: '])
  })
})
