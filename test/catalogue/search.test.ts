import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { faultsIn, owner } from '../support/ledger.ts'
import { openShop, type Shop } from '../support/shop.ts'

let shop: Shop

const catalogue = [
  {
    title: 'Red shirt',
    description: '<p class="thermal">A <b>running</b> gag &amp; caf&eacute; favourite</p>',
    vendor: 'Łódź Mills',
    productType: 'Tops',
    tags: ['summer sale'],
    handle: 'crimson-top',
    options: [{ title: 'Size', values: [{ title: 'S' }, { title: 'M' }] }],
    variants: [
      { sku: 'SH-RED-001', barcode: '4006381333931', optionValues: [{ option: 'Size', value: 'S' }] },
      { optionValues: [{ option: 'Size', value: 'M' }] },
    ],
  },
  { title: 'Blue shirt', description: 'Goes well with red shoes', vendor: 'Acme' },
  { title: 'Shoes for the red carpet', vendor: 'Acme' },
  { title: 'Sneakers', tags: ['été', 'Über-cool'], externalId: 'ERP-4711-X' },
  { title: 'T-Shirt Ägypten', vendor: 'Straße & Söhne' },
]

beforeAll(async () => {
  shop = await openShop({ locales: ['en-US', 'fr-FR', 'de-DE'] })
  await shop.create('/api/products', catalogue)
})

const titles = async (q: string, more = '', locale?: string) => {
  const asked = { status: 200, ...(locale ? { locale } : {}) }
  const { body } = await shop.get(`/api/products?q=${encodeURIComponent(q)}${more}`, asked)
  expect(body.totalItems, q).toBe(body.member.length)
  return body.member.map((each: { title: string }) => each.title)
}

describe('q finds products', () => {
  test.each([
    ['a word of the title', 'carpet', ['Shoes for the red carpet']],
    ['in any case', 'CARPET', ['Shoes for the red carpet']],
    ['another form of it', 'shoe', ['Shoes for the red carpet', 'Blue shirt']],
    ['the beginning of the last word', 'car', ['Shoes for the red carpet']],
    ['two words, of which the last is unfinished', 'red shi', ['Red shirt', 'Blue shirt']],
    ['words of several properties', 'acme shoes', ['Shoes for the red carpet', 'Blue shirt']],
    ['a word of the description, in another form', 'run', ['Red shirt']],
    ['a word next to markup and entities', 'cafe', ['Red shirt']],
    ['without accents', 'lodz', ['Red shirt']],
    ['with accents where there are none', 'réd cárpet', ['Shoes for the red carpet']],
    ['a tag', 'summer sale', ['Red shirt']],
    ['a product type', 'tops', ['Red shirt']],
    ['a handle', 'crimson-top', ['Red shirt']],
    ['a SKU', 'SH-RED-001', ['Red shirt']],
    ['a SKU in other letters and the beginning of it', 'sh-red-0', ['Red shirt']],
    ['a part of a SKU', 'red 001', ['Red shirt']],
    ['the beginning of a SKU up to its last part', 'SH-RED-', ['Red shirt']],
    ['a SKU without its last digit', 'SH-RED-00', ['Red shirt']],
    ['the beginning of a barcode', '40063', ['Red shirt']],
    ['an external id', 'ERP-4711-X', ['Sneakers']],
    ['the beginning of an external id', 'erp-4', ['Sneakers']],
    ['the beginning of a handle', 'crimson-t', ['Red shirt']],
    ['the beginning of a vendor', 'łódź m', ['Red shirt']],
    ['one letter after another word', 'carpet f', ['Shoes for the red carpet']],
    ['a barcode', '4006381333931', ['Red shirt']],
    ['a word with a hyphen, without it', 'tshirt', ['T-Shirt Ägypten']],
    ['a spelt-out letter', 'strasse', ['T-Shirt Ägypten']],
    [
      'in spite of words that are too common for the index',
      'the carpet of the',
      ['Shoes for the red carpet'],
    ],
  ])('%s', async (_, q, expected) => {
    expect(await titles(q)).toEqual(expected)
  })

  test.each([
    ['two letters that changed places', 'shrit', ['Blue shirt', 'Red shirt', 'T-Shirt Ägypten']],
    ['a letter too few', 'carpt', ['Shoes for the red carpet']],
    ['a letter too many', 'carppet', ['Shoes for the red carpet']],
    ['a wrong letter', 'sneekers', ['Sneakers']],
    ['several wrong letters in a long word', 'sneekrs', ['Sneakers']],
    ['a wrong word next to a right one', 'blue shrit', ['Blue shirt']],
    ['a wrong letter and a missing accent', 'uber-col', ['Sneakers']],
  ])('in spite of %s', async (_, q, expected) => {
    expect((await titles(q)).toSorted()).toEqual(expected)
  })

  test('but not by names of tags of the markup, nor by their attributes', async () => {
    expect(await titles('thermal')).toEqual([])
    expect(await titles('class')).toEqual([])
  })

  test('not by a short word that is only like one', async () => {
    expect(await titles('rod')).toEqual([])
  })

  test('those with the words in the title before those with them in the description', async () => {
    expect(await titles('shoes')).toEqual(['Shoes for the red carpet', 'Blue shirt'])
  })
})

describe('corrections', () => {
  let german: Shop
  beforeAll(async () => {
    german = await openShop({ locales: ['de-DE'] })
    await german.create('/api/products', [
      { title: 'Bücherregal', vendor: 'Großmann' },
      { title: 'Bücher', tags: ['T-Hemden'] },
      { title: 'Alte Bücher' },
      { title: 'Becher' },
    ])
  })
  const read = (q: string, more = '') => german.read(`/api/products?q=${encodeURIComponent(q)}${more}`)

  test.each([
    ['the most frequent similar word, as the catalogue spells it', 'Büchxr', [['Büchxr', 'Bücher']]],
    ['a word of the vendor, and only the misspelt one', 'grosmann regal', [['grosmann', 'Großmann']]],
    ['a word with several slips', 'bücherregahll', [['bücherregahll', 'Bücherregal']]],
    ['a word with a hyphen', 't-hemdem', [['t-hemdem', 'T-Hemden']]],
  ])('name %s', async (_, q, expected) => {
    const { corrections, member } = await read(q)
    expect(corrections).toEqual(expected.map(([from, to]) => ({ '@type': 'Correction', from, to })))
    expect(member.length).toBeGreaterThan(0)
  })

  test('are absent if a product has the words, or none has similar ones', async () => {
    for (const q of ['bücher', 'büch', 'regal', 'xyzzy', 'buchxr xyzzy', ''])
      expect(await read(q), q).not.toHaveProperty('corrections')
  })

  test('name the word also if a filter leaves no product', async () => {
    const { corrections, totalItems } = await read('becherr', '&status=ARCHIVED')
    expect(corrections).toEqual([{ '@type': 'Correction', from: 'becherr', to: 'Becher' }])
    expect(totalItems).toBe(0)
  })
})

describe('suggestions', () => {
  let german: Shop
  beforeAll(async () => {
    german = await openShop({ locales: ['de-DE'] })
    await german.create('/api/products', [
      { title: 'Rote Tasse', status: 'ACTIVE', vendor: 'Tänzer' },
      { title: 'Rote Tasche, groß', status: 'ACTIVE', tags: ['T-Shirt'] },
      { title: 'Blaue Tasche', status: 'ACTIVE', vendor: 'Tänzer' },
      { title: 'Geheime Tapete' },
      ...Array.from({ length: 12 }, (_, index) => ({ title: `Zahl${String.fromCharCode(97 + index)}` })),
    ])
    const archived = await german.create('/api/products', { title: 'Taube' })
    await german.delete(archived['@id'], { status: 204 })
  })
  const read = (q: string, more = '') =>
    german.read(`/api/products?suggest=true&q=${encodeURIComponent(q)}${more}`)
  const suggestions = async (q: string, more = '') => {
    const body = await read(q, more)
    return body.suggestions.map(({ q, count }: { q: string; count: number }) => [q, count])
  }

  test('are completions of the last word as the catalogue spells them, and no members', async () => {
    const { member, suggestions: own, totalItems } = await read('ta', '&status=ACTIVE')
    expect(own).toEqual([
      { '@type': 'Suggestion', q: 'Tänzer', count: 2, atLeast: false },
      { '@type': 'Suggestion', q: 'Tasche', count: 2, atLeast: false },
      { '@type': 'Suggestion', q: 'Tasse', count: 1, atLeast: false },
    ])
    expect([member, totalItems]).toEqual([[], undefined])
  })

  test.each([
    [
      'keep earlier words, which must match',
      'ROTE  tas',
      [
        ['ROTE  Tasche', 1],
        ['ROTE  Tasse', 1],
      ],
    ],
    ['complete a word with a hyphen', 't-sh', [['T-Shirt', 1]]],
    ['include the whole word', 'tasche', [['Tasche', 2]]],
    ['ignore punctuation at the end', 'rote tass…', [['rote Tasse', 1]]],
    ['are none of archived products', 'tau', []],
    ['are none for a blank search', ' ', []],
    ['are none for one letter', 'r', []],
    ['are none without a match', 'xyz', []],
    ['are none without a word', '?!', []],
  ])('%s', async (_, q, expected) => expect(await suggestions(q)).toEqual(expected))

  test('are those of the products that the filters select', async () => {
    expect(await suggestions('tap')).toEqual([['Tapete', 1]])
    expect(await suggestions('tap', '&status=ACTIVE')).toEqual([])
    expect(await suggestions('ta', '&vendor=T%C3%A4nzer&facets[]=tags')).toContainEqual(['Tasche', 1])
  })

  test('are at most ten', async () => expect(await suggestions('za')).toHaveLength(10))

  test('need one trip', async () => {
    const { headers } = await german.get('/api/products?suggest=true&q=tas', { status: 200 })
    expect(headers.get('server-timing')).toMatch(/db;dur=[\d.]+;desc="1"/)
  })

  test('are the words of a model: the words of products that begin with the search', async () => {
    const own = await openShop({ locales: ['ja-JP'] })
    // Words of three letters have no similar ones.
    const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c', 'd'), minLength: 2, maxLength: 3 })
    const titles = fc.sample(fc.array(word, { minLength: 1, maxLength: 4 }), 40)
    await own.create(
      '/api/products',
      titles.map((words, index) => ({ title: words.join(' '), handle: `n${index}` })),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(word, { minLength: 1, maxLength: 2 }), async (searched) => {
        const [last = ''] = searched.slice(-1)
        const matching = titles.filter((words) => searched.slice(0, -1).every((each) => words.includes(each)))
        const counts = new Map<string, number>()
        for (const words of matching)
          for (const each of new Set(words.filter((begun) => begun.startsWith(last))))
            counts.set(each, (counts.get(each) ?? 0) + 1)
        const expected = [...counts].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1)).slice(0, 10)
        const { suggestions: found } = await own.read(`/api/products?suggest=true&q=${searched.join('+')}`)
        expect(
          found.map((each: { q: string; count: number }) => [each.q.split(' ').at(-1), each.count]),
        ).toEqual(expected)
      }),
      { numRuns: 40 },
    )
  })
})

describe('synonyms', () => {
  let own: Shop
  const titlesOf = async (q: string, locale = 'en-US', more = '') => {
    const { body } = await own.get(`/api/products?q=${encodeURIComponent(q)}${more}`, { status: 200, locale })
    return body.member.map(({ title }: { title: string }) => title).toSorted()
  }
  beforeAll(async () => {
    own = await openShop({ locales: ['en-US', 'de-DE'] })
    await own.create('/api/products', [
      { title: 'Grey couch' },
      { title: 'Grey sofa', tags: ['new'] },
      { title: 'Two-seater', vendor: 'Grey' },
      { title: 'Trainers' },
    ])
    await own.create('/api/search_synonyms', {
      locale: 'en-US',
      sets: [
        ['Sofa', 'couch', 'two-seater'],
        ['sneakers', 'trainers'],
      ],
    })
  })

  test.each([
    ['the other words of the set', 'sofa', ['Grey couch', 'Grey sofa', 'Two-seater']],
    ['next to other words', 'grey couch', ['Grey couch', 'Grey sofa', 'Two-seater']],
    ['in another form of the word', 'sofas', ['Grey couch', 'Grey sofa', 'Two-seater']],
    ['with another form in the set', 'sneaker', ['Trainers']],
    ['of a word with a hyphen', 'twoseater', ['Grey couch', 'Grey sofa', 'Two-seater']],
    ['not of a part of the word', 'sof', ['Grey sofa']],
    ['not of words outside of sets', 'grey', ['Grey couch', 'Grey sofa', 'Two-seater']],
  ])('find %s', async (_, q, expected) => expect(await titlesOf(q)).toEqual(expected))

  test('apply with filters and to suggestions, and only in their locale', async () => {
    expect(await titlesOf('couch', 'en-US', '&tag=new')).toEqual(['Grey sofa'])
    expect(await titlesOf('sofa', 'de-DE')).toEqual(['Grey sofa'])
    const { suggestions } = await own.read('/api/products?q=sofa+cou&suggest=true')
    expect(suggestions).toMatchObject([{ q: 'sofa couch', count: 1 }])
  })

  test('follow their changes', async () => {
    const iri = (await own.create('/api/search_synonyms', { locale: 'de-DE' }))['@id']
    await own.update(iri, { sets: [['sofa', 'couch']] })
    expect(await titlesOf('sofa', 'de-DE')).toEqual(['Grey couch', 'Grey sofa'])
    await own.delete(iri, { status: 204 })
    expect(await titlesOf('sofa', 'de-DE')).toEqual(['Grey sofa'])
  })

  test('are those of the model: a product matches if each word of q or a synonym of it is in its title', async () => {
    const model = await openShop({ locales: ['ja-JP'] })
    // Three letters have neither parts nor similar words.
    const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 3, maxLength: 3 })
    const titles = fc.sample(fc.array(word, { minLength: 1, maxLength: 4 }), 40)
    const sets = fc.sample(fc.array(word, { minLength: 2, maxLength: 4 }), 6)
    await model.create(
      '/api/products',
      titles.map((words, index) => ({ title: words.join(' '), handle: `n${index}` })),
    )
    await model.create('/api/search_synonyms', { locale: 'ja-JP', sets })
    const same = (searched: string) => [searched, ...sets.filter((set) => set.includes(searched)).flat()]
    await fc.assert(
      fc.asyncProperty(fc.array(word, { minLength: 1, maxLength: 3 }), async (searched) => {
        const expected = titles.filter((words) =>
          searched.every((each) => same(each).some((synonym) => words.includes(synonym))),
        )
        const { member } = await model.read(`/api/products?itemsPerPage=100&q=${searched.join('+')}`)
        expect(member.map(({ title }: { title: string }) => title).toSorted()).toEqual(
          expected.map((words) => words.join(' ')).toSorted(),
        )
      }),
      { numRuns: 40 },
    )
  })

  test('have limits', async () => {
    const post = async (body: object) => {
      const { body: problem, status } = await own.post('/api/search_synonyms', { body })
      return [
        status,
        ...(problem.violations ?? []).map((each: { propertyPath: string }) => each.propertyPath),
      ]
    }
    expect(await post({ locale: 'de-DE', sets: [['two words', '?!', 'x', 'y'.repeat(65)]] })).toEqual([
      422,
      ...[0, 1, 3].map((index) => `sets[0][${index}]`),
    ])
    expect(await post({ locale: 'de-DE', sets: [['alone']] })).toEqual([422, 'sets[0]'])
    expect(await post({ locale: 'de-DE', sets: Array.from({ length: 1001 }, () => ['a', 'b']) })).toEqual([
      422,
      'sets',
    ])
    expect(await post({ locale: 'de' })).toEqual([422, 'locale'])
    expect(await post({ locale: 'en-US' })).toEqual([409, 'locale'])
    const racing = await Promise.all([post({ locale: 'nl-NL' }), post({ locale: 'nl-NL' })])
    expect(racing.toSorted()).toEqual([[201], [409, 'locale']])
  })

  test('of the largest size apply', async () => {
    const large = await openShop()
    const sets = Array.from({ length: 1000 }, (_, set) =>
      Array.from({ length: 20 }, (_, index) => `w${set}x${index}`),
    )
    await large.create('/api/search_synonyms', { locale: 'en-US', sets })
    await large.create('/api/products', { title: 'w999x19' })
    expect((await large.read('/api/products?q=w999x0')).totalItems).toBe(1)
  })

  test('and parts of words in any number answer', async () => {
    const large = await openShop({ locales: ['de-DE'] })
    const sets = Array.from({ length: 1000 }, (_, set) => [
      'tasche',
      ...Array.from({ length: 19 }, (_, index) => `${set}-ßßßß${index}`),
    ])
    await large.create('/api/search_synonyms', { locale: 'de-DE', sets })
    await large.create(
      '/api/products',
      Array.from({ length: 50 }, (_, index) => ({
        title: `${'ﷺ'.repeat(10)}${index}tasche${'x'.repeat(100)}`,
      })),
    )
    for (const count of [1, 8, 36]) {
      const q = Array.from({ length: count }, () => 'tasche').join('+')
      expect((await large.get(`/api/products?q=${q}`)).status).toBe(200)
      expect((await large.get(`/api/products?q=${q}&suggest=true`)).status).toBe(200)
    }
  })
})

describe('parts of words', () => {
  const bags = [
    { title: 'Einkaufstasche' },
    { title: 'Tasche' },
    { title: 'Kleine Tasche' },
    { title: 'Gürtel', description: 'Passt zur Tasche' },
    { title: 'Handtasche rot', tags: ['Taschenlampe'] },
  ]
  const shopOf = async (locale: string) => {
    const own = await openShop({ locales: [locale] })
    await own.create('/api/products', bags)
    return async (q: string, more = '') => {
      const { member } = await own.read(`/api/products?q=${encodeURIComponent(q)}${more}`)
      return member.map(({ title }: { title: string }) => title)
    }
  }

  test('match in a language that joins words, below whole words', async () => {
    const german = await shopOf('de-DE')
    expect(await german('tasche')).toEqual([
      'Tasche',
      'Kleine Tasche',
      'Handtasche rot',
      'Gürtel',
      'Einkaufstasche',
    ])
    expect(await german('rot tasche')).toEqual(['Handtasche rot'])
    expect(await german('lampe')).toEqual(['Handtasche rot'])
    // The beginning of a part.
    expect(await german('kaufs')).toEqual(['Einkaufstasche'])
    expect((await german('tasche', '&itemsPerPage=2&page=3')).length).toBe(1)
    // Three letters are too few.
    expect(await german('asc')).toEqual([])
  })

  test('match in other languages only if no product has the whole word', async () => {
    const english = await shopOf('en-US')
    expect(await english('tasche')).not.toContain('Einkaufstasche')
    expect(await english('kaufstasche')).toEqual(['Einkaufstasche'])
  })
})

describe('q is harmless', () => {
  test.each(['', ' ', '\t\n'])('blank (%j) is the same as absent', async (q) => {
    expect(await titles(q)).toHaveLength(catalogue.length)
  })

  test.each([
    '!',
    '%',
    "'",
    '\\',
    "' or 1=1 --",
    ':*',
    '&',
    '|',
    '!!',
    '(',
    '<->',
    '*',
    '\uFFFF',
    '👕',
    'ﷺ'.repeat(255),
    'a'.repeat(255),
    'a '.repeat(127),
    'zz '.repeat(85),
    '~red',
    "'red':*",
    '\\u0000',
    '<script>',
    '日本語',
    '١٢٣',
    '%%%',
    '_',
  ])('%j answers', async (q) => {
    const body = await shop.read(`/api/products?q=${encodeURIComponent(q)}`)
    expect(body.member.length).toBeLessThanOrEqual(catalogue.length)
  })
})

test('an archived product is found only with a filter for archived ones', async () => {
  const body = await shop.create('/api/products', { title: 'Zeppelin' })
  expect(await titles('zeppelin')).toEqual(['Zeppelin'])
  await shop.delete(body['@id'], { status: 204 })
  expect(await titles('zeppelin')).toEqual([])
  expect(await titles('zeppelin', '&status=ARCHIVED')).toEqual(['Zeppelin'])
})

test('pages of matches continue by rank: each once, best first, with one trip each', async () => {
  const many = await openShop()
  const body = Array.from({ length: 50 }, (_, index) => ({
    title: index % 3 === 0 ? `Lamp ${index}` : `Thing ${index}`,
    description: 'lamp '.repeat(1 + (index % 2)),
  }))
  await many.create('/api/products', body)
  const seen: string[] = []
  let path: string | undefined = '/api/products?q=lamp&itemsPerPage=7'
  for (let pages = 0; path && pages < 20; pages += 1) {
    const reply = await many.get(path, { status: 200 })
    expect(reply.body.totalItems).toBe(50)
    expect(reply.headers.get('server-timing')).toMatch(/db;dur=[\d.]+;desc="1"/)
    seen.push(...reply.body.member.map((each: { title: string }) => each.title))
    path = reply.body.view.next
  }
  expect(new Set(seen).size).toBe(50)
  expect(seen.slice(0, 17).every((title) => title.startsWith('Lamp'))).toBe(true)
  const last = await many.read('/api/products?q=lamp&itemsPerPage=7')
  const end = await many.read(last.view.last)
  expect(end.member.map((each: { title: string }) => each.title)).toEqual(seen.slice(49))
  const back = await many.read(end.view.previous)
  expect(back.member.map((each: { title: string }) => each.title)).toEqual(seen.slice(42, 49))
})

describe('the best matches are first', () => {
  const linen = 'Linen shirt. A shirt of linen, a linen shirt, shirts of linen.'
  const products = [
    { title: 'Shoe bag', description: linen, tags: ['linen', 'shirt'] },
    { title: 'Shirt made of washed linen', description: linen },
    { title: 'Linen shirt dress', description: linen },
    { title: 'Linen shirt' },
    { title: 'Linen', description: 'Sold by the metre.' },
    { title: 'Boots', vendor: 'Boo', description: 'BOO-1 BOO-1 BOO-1', tags: ['1', 'boo-1'] },
    { title: 'Ghost one', variants: [{ sku: 'BOO-1' }] },
    { title: 'Ghost ten', variants: [{ sku: 'BOO-10', barcode: '4006381333931' }] },
    { title: 'Ghost eleven', variants: [{ sku: 'BOO-11' }] },
    { title: '4006381333931 and other numbers' },
    { title: 'T-Shirt' },
  ]
  const french = {
    'Linen shirt': 'Chemise en lin',
    'Shoe bag': 'Sac',
    'Linen shirt dress': 'Robe chemise en lin',
  }
  let ranked: Shop
  const first = async (q: string, count: number, locale = 'en-US') => {
    const { body } = await ranked.get(`/api/products?q=${encodeURIComponent(q)}`, { status: 200, locale })
    return body.member.slice(0, count).map(({ title }: { title: string }) => title)
  }
  beforeAll(async () => {
    ranked = await openShop({ locales: ['en-US', 'fr-FR', 'de-DE'] })
    const { body } = await ranked.post('/api/products', { body: products, status: 201 })
    for (const product of body.member)
      if (product.title in french) {
        const title = french[product.title as keyof typeof french]
        await ranked.patch(product['@id'], { body: { title }, locale: 'fr-FR', status: 200 })
      }
  })

  test.each([
    ['linen shirt', ['Linen shirt', 'Linen shirt dress', 'Shirt made of washed linen', 'Shoe bag']],
    ['LINEN  Shirt', ['Linen shirt', 'Linen shirt dress', 'Shirt made of washed linen', 'Shoe bag']],
    ['linen sh', ['Linen shirt dress', 'Linen shirt', 'Shirt made of washed linen', 'Shoe bag']],
    ['linen', ['Linen', 'Linen shirt', 'Linen shirt dress', 'Shirt made of washed linen', 'Shoe bag']],
    ['BOO-1', ['Ghost one', 'Ghost ten', 'Ghost eleven', 'Boots']],
    ['boo1', ['Ghost one', 'Ghost ten', 'Ghost eleven', 'Boots']],
    ['boo-11', ['Ghost eleven']],
    ['4006381333931', ['Ghost ten', '4006381333931 and other numbers']],
    ['t-sh', ['T-Shirt']],
  ])('%s', async (q, expected) => {
    expect(await first(q, 10)).toEqual(expected)
  })

  test('in the language of the request, and of its fallback', async () => {
    expect(await first('chemise en lin', 2, 'fr-FR')).toEqual(['Chemise en lin', 'Robe chemise en lin'])
    expect(await first('linen shirt', 2, 'de-DE')).toEqual(['Linen shirt', 'Linen shirt dress'])
  })

  test('equal matches are in the same order on each page', async () => {
    const titles: string[] = []
    let path: string | undefined = '/api/products?q=linen+shirt&itemsPerPage=1'
    while (path) {
      const { body } = await ranked.get(path, { status: 200 })
      titles.push(...body.member.map(({ title }: { title: string }) => title))
      path = body.view.next
    }
    expect(titles).toEqual(await first('linen shirt', 10))
  })
})

describe('the results follow writes', () => {
  let path: string
  beforeAll(async () => {
    const body = await shop.create('/api/products', {
      title: 'Wardrobe',
      options: [{ title: 'Wood', values: [{ title: 'Oak' }, { title: 'Ash' }] }],
      variants: [{ sku: 'WARD-1', optionValues: [{ option: 'Wood', value: 'Oak' }] }],
    })
    path = body['@id']
  })

  test('a new title, and no longer the old one', async () => {
    await shop.update(path, { title: 'Cupboard' })
    expect(await titles('cupboard')).toEqual(['Cupboard'])
    expect(await titles('wardrobe')).toEqual(['Cupboard']) // by its handle
    await shop.update(path, { handle: 'piece' })
    expect(await titles('wardrobe')).toEqual([])
  })

  test('the SKU of a new variant, of a changed one, and not of an archived one', async () => {
    const body = await shop.create(`${path}/variants`, {
      sku: 'CUP-77',
      optionValues: [{ option: 'Wood', value: 'Ash' }],
    })
    expect(await titles('cup-77')).toEqual(['Cupboard'])
    await shop.update(body['@id'], { sku: 'CHEST-9' })
    expect(await titles('cup-77')).toEqual([])
    expect(await titles('chest-9')).toEqual(['Cupboard'])
    await shop.delete(body['@id'], { status: 204 })
    expect(await titles('chest-9')).toEqual([])
    expect(await titles('ward-1')).toEqual(['Cupboard'])
    await shop.update(body['@id'], { status: 'ACTIVE' })
    expect(await titles('chest-9')).toEqual(['Cupboard'])
  })

  test('of a text in the requested language, and of its fallback', async () => {
    await shop.update(path, { title: 'Grandes armoires' }, { locale: 'fr-FR' })
    expect(await titles('armoire', '', 'fr-FR')).toEqual(['Grandes armoires'])
    expect(await titles('armoire')).toEqual([])
    expect(await titles('cupboards')).toEqual(['Cupboard'])
    expect(await titles('cupboard', '', 'fr-FR')).toEqual([])
    expect(await titles('cupboard', '', 'de-DE')).toEqual(['Cupboard'])
    // A locale that the tenant does not declare reads as its nearest.
    expect(await titles('armoire', '', 'fr-CA')).toEqual(['Grandes armoires'])
    expect(await titles('cupboard', '', 'ja-JP')).toEqual(['Cupboard'])
  })

  test('translations that are replaced', async () => {
    const translations = { 'en-US': { title: 'Closet' }, 'de-DE': { title: 'Schränke' } }
    await shop.put(`${path}/translations`, { body: { translations }, status: 200 })
    expect(await titles('schrank', '', 'de-DE')).toEqual(['Schränke'])
    expect(await titles('closet', '', 'fr-FR')).toEqual(['Closet'])
    expect(await titles('armoire', '', 'fr-FR')).toEqual([])
  })

  test('and leaves the books in order', async () => {
    expect(await faultsIn(shop)).toEqual([])
  })
})

test('the largest texts of a product are stored, and found', async () => {
  const word = (index: number) =>
    `${String.fromCodePoint(0x10400 + (index % 40), 0x10400 + Math.floor(index / 40))}`
  const big = await openShop()
  const { body } = await big.post('/api/products', {
    body: {
      title: 'Everything',
      description: Array.from({ length: 13_000 }, (_, index) => `${word(index)}x`)
        .join(' ')
        .slice(0, 65_000),
      tags: Array.from({ length: 250 }, (_, index) => `${index} ${'𐐀'.repeat(120)}`),
    },
    status: 201,
  })
  await big.patch(body['@id'], { body: { vendor: 'ﷺ'.repeat(255) }, status: 200 })
  const found = await big.get('/api/products?q=everything', { status: 200 })
  expect(found.body.totalItems).toBe(1)
})

describe('every text can be stored and searched, however strange or large', () => {
  let strange: Shop
  beforeAll(async () => {
    strange = await openShop()
  })
  const found = async (q: string) =>
    (await strange.get(`/api/products?q=${encodeURIComponent(q)}`, { status: 200 })).body.totalItems
  const create = (body: object) => strange.post('/api/products', { body, status: 201 })
  /** Folded, its 255 units are 256, of which the last that fits is half a letter. */
  const halved = `ﬁ${'𐌰'.repeat(127)}`

  test.each([
    ['title', { title: halved }],
    ['vendor', { title: 'Halved', vendor: halved }],
    ['product type', { title: 'Halved', productType: halved }],
    ['tag', { title: 'Halved', tags: [halved] }],
  ])('a %s that would be cut within a letter', async (_, body) => {
    const before = await found(halved)
    await create(body)
    expect(await found(halved)).toBe(before + 1)
    expect(await found(`${halved.slice(0, -2)}x`)).toBeGreaterThanOrEqual(0)
  })

  /** So many words, of which no two are the same. */
  const distinct = (count: number, word: (index: number) => string) =>
    Array.from({ length: count }, (_, index) => word(index)).join(' ')
  const hanzi = (index: number) => String.fromCodePoint(0x4e00 + (index % 20_000))
  const fits = (text: string) => text.slice(0, 65_535).replace(/ \S*$/, '')

  test.each([
    // Each letter becomes six, of three bytes: 1.2 MB.
    ['letters that are six', '㌖'.repeat(65_535)],
    ['long words of such letters', fits(distinct(3_000, (index) => `${'㌖'.repeat(30)}${hanzi(index)}`))],
    ['words of such letters', fits(distinct(20_000, (index) => `㌖${hanzi(index)}`))],
    ['letters that are eighteen', 'ﷺ'.repeat(65_535)],
    ['one word', 'x'.repeat(65_535)],
    ['one word of wide letters', '𐌰'.repeat(32_767)],
    ['the shortest words of three bytes', fits(distinct(32_767, hanzi))],
    [
      'words joined by hyphens',
      fits(distinct(32_767, (index) => `${hanzi(index)}-${hanzi(index + 7)}-${hanzi(index * 3)}`)),
    ],
    ['addresses', fits(distinct(9_000, (index) => `h${index}.example/${index}/p`))],
    ['the same word', fits(distinct(32_767, () => 'a'))],
    ['words of two letters', fits(distinct(22_000, (index) => index.toString(36)))],
  ])('a description of %s', async (name, description) => {
    const title = name.replaceAll(' ', '')
    const { body } = await create({ title, description })
    expect(body.description).toBe(description)
    expect(await found(title)).toBe(1)
  })

  test('an ordinary description of the largest size is found by its last word', async () => {
    const words = distinct(9_000, (index) => `word${index}`).slice(0, 65_520)
    await create({ title: 'Long', description: `${words} lastofall` })
    expect(await found('lastofall')).toBe(1)
    const russian = distinct(9_000, (index) => `слово${index % 3000}`).slice(0, 65_515)
    await create({ title: 'Long', description: `${russian} последнее` })
    expect(await found('последнее')).toBe(1)
  })

  test('everything at once: title, description, vendor, type, 250 tags, and SKUs without end', async () => {
    const tag = (index: number) => distinct(85, (word) => hanzi(index * 85 + word)).slice(0, 255)
    const skus = Array.from({ length: 250 }, (_, index) =>
      distinct(127, (word) => hanzi(index * 127 + word)).slice(0, 255),
    )
    const { body } = await create({
      title: 'ﷺ㌖'.repeat(127),
      description: fits(distinct(32_767, (index) => `${hanzi(index)}-${hanzi(index + 7)}`)),
      vendor: distinct(127, hanzi).slice(0, 255),
      productType: halved,
      tags: Array.from({ length: 250 }, (_, index) => tag(index)),
      handle: 'everything-at-once',
      options: [{ title: 'No', values: skus.map((_, index) => ({ title: `${index}` })) }],
    })
    await strange.post(`${body['@id']}/variants`, {
      body: skus.map((sku, index) => ({ sku, optionValues: [{ option: 'No', value: `${index}` }] })),
      status: 201,
    })
    await strange.patch(body['@id'], { body: { handle: 'all-of-it' }, status: 200 })
    expect(await found(halved)).toBeGreaterThan(0)
  }, 60_000)

  test('any Unicode there is', async () => {
    const units = [
      'ﬁ',
      'ﷺ',
      '㌖',
      '𐌰',
      '\u0301',
      '\u200d',
      '\ufeff',
      '\u2028',
      '\ue000',
      '\u{10ffff}',
      "'",
      '\\',
      '-',
      ' ',
      'İ',
      'ß',
    ]
    const text = fc.oneof(
      fc.string({ unit: 'binary', minLength: 1, maxLength: 120 }),
      fc.array(fc.constantFrom(...units), { minLength: 1, maxLength: 255 }).map((each) => each.join('')),
    )
    const storable = text
      .map((each) => [...each.toWellFormed().replaceAll('\0', '')].slice(0, 120).join(''))
      .filter((each) => each.trim() !== '')
    await fc.assert(
      fc.asyncProperty(storable, storable, async (title, other) => {
        const { status } = await strange.post('/api/products', {
          body: {
            title,
            vendor: other,
            description: other.repeat(40),
            tags: [title, other],
            variants: [{ sku: `${other}`.slice(0, 200).toWellFormed() }],
          },
        })
        expect([201, 409, 422]).toContain(status)
        for (const q of [title, other, `${title} ${other}`.slice(0, 255).toWellFormed()]) {
          const asked = await strange.get(`/api/products?q=${encodeURIComponent(q)}`)
          expect([200, 422]).toContain(asked.status)
        }
      }),
      { numRuns: 30, interruptAfterTimeLimit: 15_000 },
    )
  }, 60_000)
})

test('a twin tenant with the same words sees its own alone, and changes nothing for the other', async () => {
  const [mine, twin] = await Promise.all([openShop(), openShop()])
  for (const [each, vendor] of [
    [mine, 'mine'],
    [twin, 'canary'],
  ] as const) {
    await each.post('/api/products', {
      body: [
        { title: 'Umbrella', vendor },
        { title: 'Raincoat', vendor },
      ],
      status: 201,
    })
  }
  await twin.create('/api/products', { title: 'Windbreaker', vendor: 'canary' })
  await twin.create('/api/search_synonyms', { locale: 'en-US', sets: [['umbrella', 'brolly']] })
  const asked = async (at: Shop, q: string) => {
    const body = await at.read(`/api/products?q=${q}`)
    return body.member.map((each: { title: string; vendor: string }) => `${each.title} of ${each.vendor}`)
  }
  expect(await asked(mine, 'umbrella')).toEqual(['Umbrella of mine'])
  expect(await asked(mine, 'umbrela')).toEqual(['Umbrella of mine'])
  expect(await asked(twin, 'umbrella')).toEqual(['Umbrella of canary'])
  expect(await asked(twin, 'brolly')).toEqual(['Umbrella of canary'])
  // Words and synonyms of the twin alone are neither found, nor known.
  for (const q of ['canary', 'brolly', 'windbreaker', 'windbreakr', 'wndbrekaer'])
    expect(await asked(mine, q), q).toEqual([])
  const { suggestions } = await mine.read('/api/products?q=wi&suggest=true')
  expect(suggestions).toEqual([])
})

test('the rows of a deleted product go with it', async () => {
  const gone = await openShop()
  const { body } = await gone.post('/api/products', { body: { title: 'Gone' }, status: 201 })
  const rows = (sql: string) => owner(async (client) => (await client.query(sql, [body.id])).rowCount)
  expect(await rows('select 1 from product_search where product_id = $1')).toBe(2)
  await rows('delete from products where id = $1')
  expect(await rows('select 1 from product_search where product_id = $1')).toBe(0)
})
