import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createApp as createService } from '../../src/app.ts'
import { englishMessages, type Messages, messageLanguageOf } from '../../src/core/problem.ts'
import { libraryOf } from '../../src/docs/generate.ts'
import { resources as allResources } from '../../src/resources/index.ts'

type Parts = NonNullable<Parameters<typeof createService>[0]>

/** The service in this process: published documents are generated on request; a Worker has files. */
export function createApp(parts: Parts = {}): ReturnType<typeof createService> {
  const library = libraryOf(parts.resources ?? allResources)
  return createService({ libraries: () => library, messages: async (locale) => messagesOf(locale), ...parts })
}

/** The messages of a locale, from the sources. */
export function messagesOf(locale: string): Messages {
  const language = messageLanguageOf(locale)
  if (language === null) return englishMessages
  return JSON.parse(readFileSync(join(import.meta.dirname, `../../src/messages/${language}.json`), 'utf8'))
}
