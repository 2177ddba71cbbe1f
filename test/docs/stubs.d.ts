// As much of packages that are not installed here as blocks of code in the documentation use.

declare module 'react' {
  export function useRef<Value> (initial: Value | null): { current: any }
  export function useState<Value> (initial: Value): [Value, (value: Value) => void]
}

declare module 'react/jsx-runtime' {
  export namespace JSX {
    type Element = unknown
    interface IntrinsicElements { [name: string]: object }
  }
}
