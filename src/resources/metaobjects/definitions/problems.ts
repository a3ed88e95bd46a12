import { declareProblems } from '../../../core/problem.ts'

export const metaobjectDefinitionProblems = declareProblems('metaobject_definition', {
  not_found: {
    code: 'MOD-1001',
    status: 404,
    description:
      'No metaobject definition of this tenant has this id. An id of another tenant answers the same.',
    message: {
      'en-US': 'The content definition {id} does not exist.',
      'fr-FR': 'La définition de contenu {id} n’existe pas.',
      'de-DE': 'Die Inhaltsdefinition {id} existiert nicht.',
      'es-ES': 'La definición de contenido {id} no existe.',
    },
  },
  type_taken: {
    code: 'MOD-1002',
    status: 409,
    description:
      'Another metaobject definition has this type. Send another type, or write to that definition.',
    message: {
      'en-US': 'Another content definition already uses the type “{type}”.',
      'fr-FR': 'Une autre définition de contenu utilise déjà le type « {type} ».',
      'de-DE': 'Eine andere Inhaltsdefinition verwendet bereits den Typ „{type}“.',
      'es-ES': 'Otra definición de contenido ya utiliza el tipo «{type}».',
    },
  },
  type_immutable: {
    code: 'MOD-1003',
    status: 422,
    description:
      'The type of a metaobject definition is set at creation. Create a new definition with the other type.',
    message: {
      'en-US': 'The type of a content definition cannot be changed. Please create a new definition instead.',
      'fr-FR':
        'Le type d’une définition de contenu ne peut pas être modifié. Veuillez plutôt créer une nouvelle définition.',
      'de-DE':
        'Der Typ einer Inhaltsdefinition kann nicht geändert werden. Bitte legen Sie stattdessen eine neue Definition an.',
      'es-ES':
        'No se puede cambiar el tipo de una definición de contenido. Cree una definición nueva en su lugar.',
    },
  },
  in_use: {
    code: 'MOD-1004',
    status: 409,
    description:
      'Metaobjects of this definition exist, so it cannot be deleted, nor can a field change in a way that their values do not fit. Delete those metaobjects first.',
    message: {
      'en-US': 'This content definition is in use, so this change is not possible.',
      'fr-FR': 'Cette définition de contenu est utilisée : cette modification n’est pas possible.',
      'de-DE': 'Diese Inhaltsdefinition wird verwendet, daher ist diese Änderung nicht möglich.',
      'es-ES': 'Esta definición de contenido está en uso, por lo que este cambio no es posible.',
    },
  },
  field_key_taken: {
    code: 'MOD-1005',
    status: 422,
    description:
      'Two entries of fieldDefinitions have the same key. Give each field of a definition a key of its own.',
    message: {
      'en-US': 'This definition already has a field with the key “{key}”.',
      'fr-FR': 'Cette définition possède déjà un champ avec la clé « {key} ».',
      'de-DE': 'Diese Definition hat bereits ein Feld mit dem Schlüssel „{key}“.',
      'es-ES': 'Esta definición ya tiene un campo con la clave «{key}».',
    },
  },
  display_name_field: {
    code: 'MOD-1006',
    status: 422,
    description:
      'displayNameField does not name a field of fieldDefinitions whose type can serve as a name. Send the key of such a field, or null.',
    message: {
      'en-US': 'Please choose a text field of this definition as the display name.',
      'fr-FR': 'Veuillez choisir un champ de texte de cette définition comme nom d’affichage.',
      'de-DE': 'Bitte wählen Sie ein Textfeld dieser Definition als Anzeigenamen.',
      'es-ES': 'Elija un campo de texto de esta definición como nombre para mostrar.',
    },
  },
  external_id_taken: {
    code: 'MOD-1007',
    status: 409,
    description:
      'Another metaobject definition has this externalId. Send another one, or write to that metaobject definition.',
    message: {
      'en-US': 'Another content definition already has the external ID “{externalId}”.',
      'fr-FR': 'Une autre définition de contenu possède déjà l’identifiant externe « {externalId} ».',
      'de-DE': 'Eine andere Inhaltsdefinition hat bereits die externe ID „{externalId}“.',
      'es-ES': 'Otra definición de contenido ya tiene el identificador externo «{externalId}».',
    },
  },
})
