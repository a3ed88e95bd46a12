/** The texts of translating one document after the other, which are loaded with that page. */
import { useTexts } from '../core/i18n.ts'

const english = {
  saveAndNext: 'Save and next',
  saveAndNextKeys: 'Ctrl + Enter',
  left: (kind: string, language: string) => `${kind} untranslated in ${language}`,
  sourceChanged: 'Changed after it was translated. The text was:',
  noneLeft: 'Everything in this list is translated or was shown.',
}

const french: typeof english = {
  saveAndNext: 'Enregistrer et suivant',
  saveAndNextKeys: 'Ctrl + Enter',
  left: (kind, language) => `${kind} à traduire en ${language}`,
  sourceChanged: 'Modifié après la traduction. Le texte était :',
  noneLeft: 'Tout ce qui est dans cette liste est traduit ou a été affiché.',
}

const german: typeof english = {
  saveAndNext: 'Speichern und weiter',
  saveAndNextKeys: 'Ctrl + Enter',
  left: (kind, language) => `${kind} ohne Übersetzung: ${language}`,
  sourceChanged: 'Nach der Übersetzung geändert. Der Text war:',
  noneLeft: 'Alles in dieser Liste ist übersetzt oder wurde gezeigt.',
}

export const useTranslateWords = () => useTexts({ en: english, fr: french, de: german })
