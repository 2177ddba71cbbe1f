/** Those who ask for the same while it is under way share one answer. */
export function shared<Answer> (ask: (key: string) => Promise<Answer>): typeof ask {
  const questions = new Map<string, Promise<Answer>>()
  return async key => {
    const question = questions.get(key) ?? ask(key).finally(() => questions.delete(key))
    questions.set(key, question)
    return await question
  }
}
