import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createApp as createService, jointPerformerOf } from '../../src/app.ts'
import { storedPerformer } from '../../src/background/bulk-operations.ts'
import { englishMessages, type Messages, messageLanguageOf } from '../../src/core/problem.ts'
import type { Runtime } from '../../src/core/work.ts'
import { libraryOf } from '../../src/docs/generate.ts'
import type { Bindings } from '../../src/env.ts'
import { resources as allResources } from '../../src/resources/index.ts'

type Parts = NonNullable<Parameters<typeof createService>[0]>

/** The service in this process: published documents are generated on request; a Worker has files. */
export function createApp(parts: Parts = {}): ReturnType<typeof createService> {
  const library = libraryOf(parts.resources ?? allResources)
  return createService({ libraries: () => library, messages: async (locale) => messagesOf(locale), ...parts })
}

/** Performs the lines of bulk operations, with these bindings. */
export function performerIn(bindings: Bindings): Runtime['perform'] {
  const library = libraryOf(allResources)
  return storedPerformer(
    bindings,
    jointPerformerOf(allResources, () => library),
    async (locale) => messagesOf(locale),
  )
}

/** The messages of a locale, from the sources. */
export function messagesOf(locale: string): Messages {
  const language = messageLanguageOf(locale)
  if (language === null) return englishMessages
  return JSON.parse(readFileSync(join(import.meta.dirname, `../../src/messages/${language}.json`), 'utf8'))
}
