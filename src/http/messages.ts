import * as z from 'zod'
import { englishMessages, type Messages, messageLanguageOf } from '../core/problem.ts'
import { type Bindings, settingsOf } from '../env.ts'

/** Returns the messages of problems in the language of a locale. */
export type MessageReader = (locale: string, bindings: Bindings) => Promise<Messages>

const file = z.record(z.string(), z.string())

/**
 * Reads the messages that `npm run build` copies. An isolate keeps each language that it has read. If a file cannot be read, the messages
 * are English.
 */
export function builtMessages(): MessageReader {
  const languages = new Map<string, Messages>()
  return async (locale, bindings) => {
    try {
      const language = messageLanguageOf(locale)
      if (language === null) return englishMessages
      const messages = languages.get(language) ?? file.parse(await readFile(language, bindings))
      languages.set(language, messages)
      return messages
    } catch {
      return englishMessages
    }
  }
}

async function readFile(language: string, bindings: Bindings): Promise<unknown> {
  const response = await settingsOf(bindings).ASSETS?.fetch(
    `https://assets.invalid/messages/${language}.json`,
  )
  return response?.status === 200 ? response.json() : null
}
