import { createApp } from 'vue'
import App from './App.vue'
import '../../../react/page/src/main.css'

createApp(App).mount('#root')
