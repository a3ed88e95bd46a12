/** Large things that are legal: bodies of the most that the schemas take, for tests that read, change and delete them. */

/** HTML whose JSON takes two bytes for each quote. */
export function html(bytes: number): string {
  const paragraph = '<p class="note">Cut from organic cotton, sewn close to home.</p>\n'
  return paragraph.repeat(Math.ceil(bytes / paragraph.length)).slice(0, bytes)
}

/** Pictures, each with an address and a text of about so many bytes together. */
export function pictures(count: number, bytes: number) {
  return Array.from({ length: count }, (_, index) => ({
    url: `https://www.example.com/${index}/${'p'.repeat(Math.max(0, bytes - 120))}.jpg`,
    alt: `The picture ${index} of the set`,
    type: 'IMAGE',
  }))
}

/** Options of so many values each, with titles of about `length` letters. */
export function options(count: number, values: number, length = 8) {
  return Array.from({ length: count }, (_, option) => ({
    title: `Option ${option}`,
    values: Array.from({ length: values }, (_, value) => ({
      title: `${value}-${'v'.repeat(Math.max(0, length - 4))}`,
    })),
  }))
}

/** Variants of a product of `options(…)`: all combinations; the last option varies fastest. */
export function variants(count: number, made: ReturnType<typeof options>, more: object = {}) {
  return Array.from({ length: count }, (_, index) => {
    let place = index
    const optionValues = made.toReversed().map(({ title, values }) => {
      const value = values[place % values.length]!
      place = Math.floor(place / values.length)
      return { option: title, value: value.title }
    })
    return { optionValues: optionValues.toReversed(), ...more }
  })
}
