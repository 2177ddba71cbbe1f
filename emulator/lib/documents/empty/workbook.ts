import { contentTypes, DECLARATION, OFFICE_RELATIONS, type Parts, relations } from './xml.js'

const SPREADSHEET = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'

/** One empty sheet. */
export function workbookParts (): Parts {
  return {
    '[Content_Types].xml': contentTypes({
      'xl/workbook.xml': 'spreadsheetml.sheet.main',
      'xl/worksheets/sheet1.xml': 'spreadsheetml.worksheet'
    }),
    '_rels/.rels': relations(['officeDocument', 'xl/workbook.xml']),
    'xl/workbook.xml':
      `${DECLARATION}<workbook xmlns="${SPREADSHEET}" xmlns:r="${OFFICE_RELATIONS}"><sheets><sheet name="Sheet1" sheetId="1" r:id="rId1"/></sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': relations(['worksheet', 'worksheets/sheet1.xml']),
    'xl/worksheets/sheet1.xml': `${DECLARATION}<worksheet xmlns="${SPREADSHEET}"><sheetData/></worksheet>`
  }
}
