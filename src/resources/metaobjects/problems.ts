import { declareProblems } from '../../core/problem.ts'

export const metaobjectProblems = declareProblems('metaobject', {
  not_found: {
    code: 'MOB-1001',
    status: 404,
    description:
      'No metaobject of this tenant has this id, or type and handle, or it is a draft that the caller may not see. An id of another tenant answers the same.',
    message: {
      'en-US': 'The entry {id} does not exist.',
      'fr-FR': 'L’entrée {id} n’existe pas.',
      'de-DE': 'Der Eintrag {id} existiert nicht.',
      'es-ES': 'La entrada {id} no existe.',
    },
  },
  handle_taken: {
    code: 'MOB-1002',
    status: 409,
    description:
      'Another metaobject of the same type has this handle. Send another one, or write to that metaobject.',
    message: {
      'en-US': 'Another entry of this type already uses the handle “{handle}”.',
      'fr-FR': 'Une autre entrée de ce type utilise déjà l’identifiant « {handle} ».',
      'de-DE': 'Ein anderer Eintrag dieses Typs verwendet bereits die Kennung „{handle}“.',
      'es-ES': 'Otra entrada de este tipo ya utiliza el identificador «{handle}».',
    },
  },
  field_invalid: {
    code: 'MOB-1003',
    status: 422,
    description:
      'The value of a field does not fit the type or the validations of its definition. Send a value as the metafield definition type describes it.',
    message: {
      'en-US': 'The content of the field “{key}” is not valid.',
      'fr-FR': 'Le contenu du champ « {key} » n’est pas valide.',
      'de-DE': 'Der Inhalt des Feldes „{key}“ ist ungültig.',
      'es-ES': 'El contenido del campo «{key}» no es válido.',
    },
  },
  incomplete: {
    code: 'MOB-1004',
    status: 422,
    description:
      'A metaobject becomes or stays ACTIVE only when its required fields have valid values. Send those that the message names, or keep it as DRAFT.',
    message: {
      'en-US': 'Please complete these fields before publishing: {keys}.',
      'fr-FR': 'Veuillez remplir ces champs avant la publication : {keys}.',
      'de-DE': 'Bitte füllen Sie vor der Veröffentlichung diese Felder aus: {keys}.',
      'es-ES': 'Complete estos campos antes de publicar: {keys}.',
    },
  },
  definition_immutable: {
    code: 'MOB-1005',
    status: 422,
    description:
      'The definition of a metaobject is set at creation. Create a new metaobject of the other definition.',
    message: {
      'en-US': 'The type of this entry cannot be changed. Please create a new entry instead.',
      'fr-FR': 'Le type de cette entrée ne peut pas être modifié. Veuillez plutôt créer une nouvelle entrée.',
      'de-DE':
        'Der Typ dieses Eintrags kann nicht geändert werden. Bitte legen Sie stattdessen einen neuen Eintrag an.',
      'es-ES': 'No se puede cambiar el tipo de esta entrada. Cree una entrada nueva en su lugar.',
    },
  },
  external_id_taken: {
    code: 'MOB-1006',
    status: 409,
    description:
      'Another metaobject that is not archived has this externalId. Send another one, or write to that metaobject.',
    message: {
      'en-US': 'Another entry already has the external ID “{externalId}”.',
      'fr-FR': 'Une autre entrée possède déjà l’identifiant externe « {externalId} ».',
      'de-DE': 'Ein anderer Eintrag hat bereits die externe ID „{externalId}“.',
      'es-ES': 'Otra entrada ya tiene el identificador externo «{externalId}».',
    },
  },
})
