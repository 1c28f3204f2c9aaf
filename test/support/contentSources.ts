/** One bundle of the contents of template files, with the way to their addresses. */
export { TemplateContents } from '../../src/features/documents/templateContents';
export { templateUriParts } from '../../src/model/templates/templateUri';
