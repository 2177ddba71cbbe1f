import { readdirSync } from 'node:fs'
import { join, relative } from 'node:path'
import ts from 'typescript'
import { root } from './markdown.js'

// What the library says to people, read from its sources: texts of errors, of the log and of the page. What is only known
// when it runs is `…`.

export interface Message {
  readonly text: string
  /** Of the first place that says it, such as `lib/save/saves.ts:104`. */
  readonly place: string
  readonly kind: 'error' | 'log' | 'page'
  /** Of an error that is an `EditorError`. */
  readonly code?: string
  /** Of a text of the page: its name in lib/browser/messages.js. */
  readonly key?: string
}

/** What a message belongs to. */
type Source = Pick<Message, 'kind' | 'code' | 'key'>

export interface Messages {
  readonly messages: readonly Message[]
  /** Places whose text cannot be read from the sources at all. */
  readonly unreadable: readonly string[]
}

/**
 * The checks of other people's storages and the command line, which explain themselves; what the build makes of
 * lib/browser.
 */
const LEFT_OUT = ['lib/testing/', 'lib/cli/', 'lib/assets/']
/** Only what it logs: docs/doctor.md has what it finds. */
const DOCTOR = 'lib/doctor/'
const HOLE = '…'
const LOG_METHODS = new Set(['fatal', 'error', 'warn', 'info', 'debug', 'trace'])
const PLAIN_ERRORS = new Set(['Error', 'TypeError', 'RangeError'])
/** The texts that the page shows: a property each of one object. */
const PAGE_TEXTS = { file: 'lib/browser/messages.js', variable: 'defaults' }
/** Deep enough for what the sources do; ends where functions call each other. */
const MAX_DEPTH = 8
const MAX_ALTERNATIVES = 32

/** What parameters are, while a function is looked into. */
type Bindings = ReadonlyMap<ts.Symbol, readonly string[]>
const NOTHING: Bindings = new Map()

export function collectMessages (folder = 'lib'): Messages {
  const files = sourcesBelow(folder)
  const program = ownProgram(files)
  const checker = program.getTypeChecker()
  const { callsOf, valuesOf, takesReason } = indexed(program, files)
  const found = new Map<string, Message>()
  const unreadable: string[] = []
  const passed = new Map<ts.Declaration, readonly string[]>()

  for (const file of files) {
    const source = program.getSourceFile(join(root, file))!
    visit(source)

    function visit (node: ts.Node): void {
      if (ts.isNewExpression(node)) readError(node)
      if (ts.isCallExpression(node)) readCall(node)
      if (ts.isPropertyAssignment(node)) readPageText(node)
      ts.forEachChild(node, visit)
    }

    function note (node: ts.Node, from: Message['kind'] | Source, texts: readonly string[]): void {
      const origin = typeof from === 'string' ? { kind: from } : from
      if (file.startsWith(DOCTOR) && origin.kind !== 'log') return
      const place = `${file}:${source.getLineAndCharacterOfPosition(node.getStart()).line + 1}`
      for (const text of texts.map(tidy)) {
        if (isOnlyHoles(text)) unreadable.push(place)
        else if (!found.has(text)) found.set(text, { text, place, ...origin })
      }
    }

    function readError (node: ts.NewExpression): void {
      const name = node.expression.getText()
      const args = node.arguments ?? []
      const definition = definitionOf(symbolOf(node.expression))
      if (definition) {
        const { code, format } = definition
        return note(node, { kind: 'error', code }, filled(format, args.map(arg => asPart(arg, evaluate(arg)))))
      }
      if (PLAIN_ERRORS.has(name) && args.length > 0) return note(node, file.startsWith('lib/browser/') ? 'page' : 'error', evaluate(args[0]!))
      if (/(Capture|Action)Error$/.test(name)) note(node, 'page', evaluate(args.at(name === 'CaptureError' ? 1 : 2)!))
    }

    /** Of a class that fixes a part of the message. */
    function readSuper (node: ts.CallExpression): void {
      const parent = ts.findAncestor(node, ts.isClassLike)?.heritageClauses?.[0]?.types[0]?.expression
      if (!parent || !ts.isIdentifier(parent)) return
      const { code, format } = definitionOf(symbolOf(parent)) ?? { format: parent.text === 'Error' ? '%s' : undefined }
      const texts = format === undefined ? [] : filled(format, node.arguments.map(arg => asPart(arg, evaluate(arg))))
      const kind = file.startsWith('lib/browser/') ? 'page' : 'error'
      // otherwise, who makes it says all
      note(node, { kind, ...(code !== undefined && { code }) }, texts.filter(text => !isOnlyHoles(text)))
    }

    function readCall (node: ts.CallExpression): void {
      const { expression: called, arguments: args } = node
      if (called.kind === ts.SyntaxKind.SuperKeyword) return readSuper(node)
      if (ts.isElementAccessExpression(called) && isLog(called.expression)) return note(node, 'log', evaluate(args.at(-1)!))
      if (ts.isPropertyAccessExpression(called)) {
        if (LOG_METHODS.has(called.name.text) && isLog(called.expression)) {
          return note(node, 'log', evaluate(args.at(-1)!))
        }
      }
      // A function that makes an error of a reason.
      const name = ts.isPropertyAccessExpression(called) ? called.name.text : called.getText()
      if (!takesReason.has(name)) return
      const declaration = checker.getResolvedSignature(node)?.declaration
      const place = declaration?.parameters.findIndex(({ name }) => name.getText() === 'reason') ?? -1
      const arg = args[place]
      if (arg && declaration?.type?.getText().endsWith('Error')) note(node, 'error', evaluate(arg))
    }

    function readPageText ({ name, parent, initializer }: ts.PropertyAssignment): void {
      if (file !== PAGE_TEXTS.file || !ts.isVariableDeclaration(parent.parent)) return
      if (parent.parent.name.getText() !== PAGE_TEXTS.variable) return
      note(initializer, { kind: 'page', key: name.getText() }, evaluate(initializer))
    }
  }
  return { messages: [...found.values()], unreadable }

  /** All texts that an expression can be. */
  function evaluate (node: ts.Expression, bindings = NOTHING, depth = 0): readonly string[] {
    if (depth > MAX_DEPTH) return [HOLE]
    const within = (inner: ts.Expression) => evaluate(inner, bindings, depth + 1)
    if (ts.isStringLiteralLike(node)) return [node.text]
    if (ts.isTemplateExpression(node)) {
      return node.templateSpans.reduce<readonly string[]>((texts, { expression, literal }) =>
        combined(combined(texts, asPart(expression, within(expression))), [literal.text]), [node.head.text])
    }
    if (
      ts.isParenthesizedExpression(node) || ts.isAsExpression(node) || ts.isNonNullExpression(node) ||
      ts.isAwaitExpression(node) || ts.isSatisfiesExpression(node)
    ) return within(node.expression)
    if (ts.isConditionalExpression(node)) return either(within(node.whenTrue), within(node.whenFalse))
    if (ts.isBinaryExpression(node)) {
      const operator = node.operatorToken.kind
      if (operator === ts.SyntaxKind.PlusToken) return combined(within(node.left), within(node.right))
      if (operator === ts.SyntaxKind.QuestionQuestionToken || operator === ts.SyntaxKind.BarBarToken) return either(within(node.left), within(node.right))
      return [HOLE]
    }
    if (ts.isIdentifier(node)) return valueOf(node, bindings, depth)
    if (ts.isElementAccessExpression(node) || ts.isPropertyAccessExpression(node)) return memberOf(node, bindings, depth)
    if (ts.isCallExpression(node)) return resultOf(node, bindings, depth)
    return [HOLE]
  }

  function valueOf (node: ts.Identifier, bindings: Bindings, depth: number): readonly string[] {
    const symbol = symbolOf(node)
    const bound = symbol && bindings.get(symbol)
    if (bound) return bound
    const declaration = symbol?.valueDeclaration
    if (declaration && ts.isVariableDeclaration(declaration) && declaration.initializer && isConstant(declaration)) {
      return evaluate(declaration.initializer, bindings, depth + 1)
    }
    if (declaration && ts.isParameter(declaration)) return argumentsOf(declaration, depth)
    if (declaration && ts.isBindingElement(declaration)) return fromObjects(propertyOf(declaration), depth)
    return [HOLE]
  }

  /** What the callers of a function pass. */
  function argumentsOf (parameter: ts.ParameterDeclaration, depth: number): readonly string[] {
    const known = passed.get(parameter) ?? passedTo(parameter, depth)
    passed.set(parameter, known)
    return known
  }

  function passedTo (parameter: ts.ParameterDeclaration, depth: number): readonly string[] {
    passed.set(parameter, [HOLE]) // as long as it is looked for: functions call each other
    const place = parameter.parent.parameters.indexOf(parameter)
    const name = 'name' in parameter.parent && parameter.parent.name
      ? parameter.parent.name
      : ts.isVariableDeclaration(parameter.parent.parent)
        ? parameter.parent.parent.name
        : undefined
    const symbol = name && checker.getSymbolAtLocation(name)
    const args = symbol ? callsOf(symbol, symbolOf).map(({ arguments: args }) => args[place]) : []
    return alternatives(args.filter(arg => arg !== undefined), depth)
  }

  /** What all objects that are made have in a property of an interface. */
  function fromObjects (property: ts.Symbol | undefined, depth: number): readonly string[] {
    return alternatives((property?.declarations ?? []).flatMap(declaration => valuesOf(declaration, checker)), depth)
  }

  function propertyOf ({ parent, name, propertyName }: ts.BindingElement): ts.Symbol | undefined {
    return checker.getTypeAtLocation(parent).getProperty((propertyName ?? name).getText())
  }

  function alternatives (nodes: readonly ts.Expression[], depth: number): readonly string[] {
    const texts = [...new Set(nodes.flatMap(node => evaluate(node, NOTHING, depth + 1)))]
    return texts.length > 0 && texts.length <= MAX_ALTERNATIVES ? texts : [HOLE]
  }

  /** Any text of an object of texts; a name that is known selects one. */
  function memberOf (node: ts.ElementAccessExpression | ts.PropertyAccessExpression, bindings: Bindings, depth: number): readonly string[] {
    const declaration = symbolOf(node.expression)?.valueDeclaration
    if (
      ts.isPropertyAccessExpression(node) &&
      !(declaration && ts.isVariableDeclaration(declaration) && declaration.initializer &&
        ts.isObjectLiteralExpression(declaration.initializer))
    ) return fromObjects(symbolOf(node), depth)
    if (!declaration || !ts.isVariableDeclaration(declaration) || !declaration.initializer) return [HOLE]
    let object = declaration.initializer
    while (ts.isAsExpression(object) || ts.isSatisfiesExpression(object)) object = object.expression
    if (!ts.isObjectLiteralExpression(object)) return [HOLE]
    const texts = object.properties.filter(ts.isPropertyAssignment)
      .filter(({ name }) => !ts.isPropertyAccessExpression(node) || name.getText() === node.name.text)
      .flatMap(({ initializer }) => evaluate(initializer, bindings, depth + 1))
    return texts.length > 0 && texts.length <= MAX_ALTERNATIVES && !texts.includes(HOLE) ? texts : [HOLE]
  }

  /** What one of our functions returns. */
  function resultOf (node: ts.CallExpression, bindings: Bindings, depth: number): readonly string[] {
    if (ts.isPropertyAccessExpression(node.expression)) {
      if (node.expression.name.text === 'join') return joined(node, bindings, depth)
      if (node.expression.name.text === 'get') return fromMap(node.expression.expression, depth)
    }
    const declaration = checker.getResolvedSignature(node)?.declaration
    if (!declaration || !('body' in declaration) || !declaration.body || declaration.getSourceFile().isDeclarationFile) return [HOLE]
    const inner = new Map<ts.Symbol, readonly string[]>()
    for (const [index, parameter] of declaration.parameters.entries()) {
      const symbol = ts.isIdentifier(parameter.name) && checker.getSymbolAtLocation(parameter.name)
      const arg = node.arguments[index]
      if (symbol && arg) inner.set(symbol, evaluate(arg, bindings, depth + 1))
    }
    const results = returned(declaration.body).flatMap(result => evaluate(result, inner, depth + 1))
    return results.length > 0 && results.length <= MAX_ALTERNATIVES ? results : [HOLE]
  }

  /** What `new Map([[key, text], …])` has. */
  function fromMap (map: ts.Expression, depth: number): readonly string[] {
    const declaration = symbolOf(map)?.valueDeclaration
    const made = declaration && ts.isVariableDeclaration(declaration) ? declaration.initializer : undefined
    const list = made && ts.isNewExpression(made) ? made.arguments?.[0] : undefined
    const pairs = list && ts.isArrayLiteralExpression(list) ? list.elements.filter(ts.isArrayLiteralExpression) : []
    return alternatives(pairs.flatMap(({ elements: [, text] }) => text ?? []), depth)
  }

  /** `[first, second].join(' ')` is at least the first; others may be missing. */
  function joined (node: ts.CallExpression, bindings: Bindings, depth: number): readonly string[] {
    let list: ts.Expression = node.expression
    while (ts.isPropertyAccessExpression(list) || ts.isCallExpression(list)) list = list.expression
    const [first, ...others] = ts.isArrayLiteralExpression(list) ? list.elements : []
    if (!first || ts.isSpreadElement(first)) return [HOLE]
    return combined(evaluate(first, bindings, depth + 1), [others.length > 0 ? ` ${HOLE}` : ''])
  }

  /** One word that may be another one is a name: the message is the same whatever it is. */
  function asPart (node: ts.Expression, texts: readonly string[]): readonly string[] {
    if (isFixed(node)) return texts
    const parts = [...new Set(texts.map(text => text === '' || /\s/.test(text) ? text : HOLE))]
    return parts.includes(HOLE) ? parts.filter(part => part !== '') : parts
  }

  /** A text, or a constant with this text. */
  function isFixed (node: ts.Expression): boolean {
    if (ts.isStringLiteralLike(node)) return true
    const declaration = ts.isIdentifier(node) ? symbolOf(node)?.valueDeclaration : undefined
    return declaration !== undefined && ts.isVariableDeclaration(declaration) &&
      declaration.initializer !== undefined && ts.isStringLiteralLike(declaration.initializer)
  }

  function symbolOf (node: ts.Node): ts.Symbol | undefined {
    const symbol = checker.getSymbolAtLocation(node)
    return symbol && symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol
  }

  /** The code and the text that one of our error classes is defined with. */
  function definitionOf (symbol: ts.Symbol | undefined): { readonly code: string, readonly format: string } | undefined {
    const declaration = symbol?.valueDeclaration
    if (!declaration) return undefined
    const definition = ts.isVariableDeclaration(declaration)
      ? declaration.initializer
      : ts.isClassDeclaration(declaration) ? declaration.heritageClauses?.[0]?.types[0]?.expression : undefined
    if (!definition || !ts.isCallExpression(definition)) return undefined
    const [code, , format] = definition.arguments
    return code && format && ts.isStringLiteralLike(code) && code.text.startsWith('FST_') && ts.isStringLiteralLike(format)
      ? { code: code.text, format: format.text }
      : undefined
  }
}

/** Of our sources and types only: what packages and the platform declare takes long to read, and says nothing. */
function ownProgram (files: readonly string[]): ts.Program {
  const options: ts.CompilerOptions = {
    target: ts.ScriptTarget.ES2023,
    module: ts.ModuleKind.NodeNext,
    lib: ['lib.es2024.d.ts'],
    types: [],
    strict: true,
    allowJs: true,
    noEmit: true
  }
  const host = ts.createCompilerHost(options)
  host.resolveModuleNameLiterals = (literals, file, _redirected, options) => literals.map(({ text }) =>
    text.startsWith('.') ? ts.resolveModuleName(text, file, options, host, undefined, undefined, ts.ModuleKind.ESNext) : { resolvedModule: undefined })
  return ts.createProgram(files.map(file => join(root, file)), options, host)
}

/** Where functions are called, and what properties are set to. By name, because asking for types takes long. */
function indexed (program: ts.Program, files: readonly string[]) {
  const calls = new Map<string, ts.CallExpression[]>()
  const properties = new Map<string, Array<{ readonly object: ts.ObjectLiteralExpression, readonly value: ts.Expression }>>()
  /** Names of functions with a parameter `reason`. */
  const takesReason = new Set<string>()
  const visit = (node: ts.Node): void => {
    if (ts.isParameter(node) && node.name.getText() === 'reason') takesReason.add(nameOf(node.parent) ?? '')
    if (ts.isCallExpression(node) && ts.isIdentifier(node.expression)) append(calls, node.expression.text, node)
    if (ts.isPropertyAssignment(node)) append(properties, node.name.getText(), { object: node.parent, value: node.initializer })
    if (ts.isShorthandPropertyAssignment(node)) append(properties, node.name.text, { object: node.parent, value: node.name })
    ts.forEachChild(node, visit)
  }
  for (const file of files) visit(program.getSourceFile(join(root, file))!)

  return {
    takesReason,
    callsOf (symbol: ts.Symbol, symbolOf: (node: ts.Node) => ts.Symbol | undefined): ts.CallExpression[] {
      return (calls.get(symbol.name) ?? []).filter(({ expression }) => symbolOf(expression) === symbol)
    },
    valuesOf (declaration: ts.Declaration, checker: ts.TypeChecker): ts.Expression[] {
      const name = ts.getNameOfDeclaration(declaration)?.getText() ?? ''
      return (properties.get(name) ?? [])
        .filter(({ object, value }) =>
          value.parent === declaration ||
          checker.getContextualType(object)?.getProperty(name)?.declarations?.includes(declaration)
        )
        .map(({ value }) => value)
    }
  }
}

/** Of a function, or of what it is assigned to. */
function nameOf ({ name, parent }: ts.SignatureDeclaration): string | undefined {
  return (name ?? ts.getNameOfDeclaration(parent as ts.Declaration))?.getText()
}

function append<Item> (lists: Map<string, Item[]>, name: string, item: Item): void {
  lists.set(name, [...lists.get(name) ?? [], item])
}

function isLog (node: ts.Expression): boolean {
  return /(^|\.)log$/.test(node.getText())
}

function sourcesBelow (folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .map(name => relative(root, join(root, folder, name)).replaceAll('\\', '/'))
    .filter(file => /\.[jt]s$/.test(file) && !/\.compiled\.ts$/.test(file) && !LEFT_OUT.some(left => file.startsWith(left)))
    .sort()
}

function isConstant (declaration: ts.VariableDeclaration): boolean {
  return (declaration.parent.flags & ts.NodeFlags.Const) !== 0
}

/** The expressions that a function returns, without those of functions in it. */
function returned (body: ts.Block | ts.Expression): ts.Expression[] {
  if (!ts.isBlock(body)) return [body]
  const found: ts.Expression[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isReturnStatement(node) && node.expression) found.push(node.expression)
    if (!ts.isFunctionLike(node)) ts.forEachChild(node, visit)
  }
  visit(body)
  return found
}

function combined (starts: readonly string[], ends: readonly string[]): readonly string[] {
  const texts = starts.flatMap(start => ends.map(end => start + end))
  return texts.length > MAX_ALTERNATIVES ? starts.map(start => start + HOLE) : texts
}

function either (a: readonly string[], b: readonly string[]): readonly string[] {
  return [...new Set([...a, ...b])]
}

/** The format of an error with its arguments, each of which may be one of several texts. */
function filled (format: string, args: ReadonlyArray<readonly string[]>): readonly string[] {
  const [start = '', ...parts] = format.split(/%[sd]/)
  return parts.reduce<readonly string[]>((texts, part, index) => combined(combined(texts, args[index] ?? [HOLE]), [part]), [start])
}

function tidy (text: string): string {
  return text.trim().replace(/…(?:\s?…)+/g, HOLE)
}

function isOnlyHoles (text: string): boolean {
  return !/\p{L}{2}/u.test(text)
}
