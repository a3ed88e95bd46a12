/** The texts between commas. A comma between digits separates nothing: `39,5, 40` are two texts, and `1,5 kg` is one. */
export function splitTexts(text: string): string[] {
  const texts = text.split(/(?<!\d),|,(?!\d)/).map((each) => each.trim())
  return texts.filter((each) => each !== '')
}
