/**
 * Notes such as an agent keeps, each with a question that asks for it in other words. Written by hand, before any of it was measured: a
 * question says what one would ask who has forgotten the words of the note. Several notes are about neighbouring things, so that a topic
 * alone does not decide.
 */
export const paraphrases: readonly (readonly [note: string, question: string])[] = [
  ["We ship the website to production every Tuesday morning.", "On which day do releases go live?"],
  ["If a release misbehaves, revert to the previous image and purge the CDN.", "How do I undo a bad rollout?"],
  ["The staging database is refreshed from a masked copy each night.", "Where does the test data come from?"],
  ["Invoices are generated on the first of the month by Stripe.", "When are customers billed?"],
  [
    "Refunds above 500 euros need approval from the finance lead.",
    "Who must agree before we give a large amount of money back?",
  ],
  ["The human prefers short answers with the conclusion first.", "How should I write replies to my boss?"],
  ["Maria dislikes meetings before ten o'clock.", "What time is too early to schedule a call with Maria?"],
  ["Always cite the source of a figure with its date.", "Should I mention where numbers come from?"],
  ["The customer in Lyon wants all documents in French.", "Which language does the client from France expect?"],
  ["Do not contact the press without asking the communications team.", "Am I allowed to talk to journalists?"],
  [
    "NVIDIA's H100 has 80 GB of memory and draws up to 700 watts.",
    "How much electricity does the graphics accelerator consume?",
  ],
  ["AMD's MI300X carries 192 GB of memory, more than its rival.", "Which chip has the largest RAM?"],
  ["TSMC makes most of the advanced processors in Taiwan.", "Where are modern semiconductors manufactured?"],
  [
    "Export rules of October 2023 forbid selling the fastest chips to China.",
    "What trade restrictions apply to Chinese buyers?",
  ],
  ["Python's asyncio runs coroutines on a single thread.", "Does asynchronous code use several threads?"],
  ["Blocking calls inside a coroutine freeze every other one.", "Why did all concurrent operations hang at once?"],
  [
    "Use a connection pool; opening a connection per request made the service slow.",
    "What improved the latency of database access?",
  ],
  [
    "The tests failed at random because two of them shared a temporary folder.",
    "What was the cause of the flaky test suite?",
  ],
  [
    "Retrying immediately made the overload worse; wait longer each time.",
    "What did we learn about repeating failed requests?",
  ],
  ["The scraper was banned after 200 pages; pause two seconds between fetches.", "How quickly may we crawl that site?"],
  [
    "The quarterly report is due on the tenth day after the quarter ends.",
    "What is the deadline for the financial summary?",
  ],
  ["Peter owns the payment service; ask him before changing it.", "Who is responsible for the checkout backend?"],
  [
    "The office wifi drops in the afternoon; use a cable for demos.",
    "How can I avoid network trouble during a presentation?",
  ],
  ["Backups are kept for thirty days in another region.", "For how long can lost files be restored?"],
  ["A restore was last rehearsed in March and took four hours.", "How much time does disaster recovery need?"],
  ["Passwords are rotated every ninety days through the vault.", "How often do credentials have to be changed?"],
  [
    "Personal data of Europeans must stay on servers in Frankfurt.",
    "Where may we store information about EU citizens?",
  ],
  ["Delete a user's records within a month of their request.", "What happens when somebody wants to be forgotten?"],
  [
    "The mobile app crashes on old Android phones because of the video codec.",
    "Why does the program stop working on outdated devices?",
  ],
  ["Dark mode was the most requested feature in the survey.", "What do people wish for most?"],
  [
    "Half of the visitors leave when a page takes over three seconds.",
    "What effect does slow loading have on the audience?",
  ],
  ["Our main competitor lowered its price to nineteen dollars a month.", "How much does the rival product cost?"],
  ["The newsletter works best when it is sent on Thursday evening.", "What is a good moment to mail our subscribers?"],
  ["Headlines with a number get twice as many clicks.", "How do I make titles more attractive?"],
  ["The warehouse in Rotterdam closes for inventory in January.", "When is the storage site not operating?"],
  [
    "Shipping to Norway needs a customs form because it is outside the union.",
    "What paperwork is required for parcels to Oslo?",
  ],
  ["The supplier of batteries is late by two weeks on average.", "Which vendor delivers behind schedule?"],
  ["Solar panels lose about half a percent of output each year.", "How fast does photovoltaic equipment degrade?"],
  ["Wind parks at sea produce more steadily than those on land.", "Are offshore turbines more reliable?"],
  ["Heat pumps work down to minus twenty degrees.", "Can this kind of heating be used in a cold winter?"],
  ["The patient group with the new drug slept better but gained weight.", "What side effects did the medication have?"],
  ["The study had only forty participants, so its result is weak.", "Why should we not trust that research much?"],
  ["Meta-analyses show that exercise helps against mild depression.", "Is sport good for one's mood?"],
  ["Coffee after three in the afternoon disturbs sleep.", "Until when can I drink caffeine?"],
  ["The museum is free on the first Sunday of every month.", "When can we visit the exhibition without paying?"],
  ["Trains between Madrid and Barcelona take two and a half hours.", "How long is the rail journey across Spain?"],
  ["The hotel allows late checkout until two for a small fee.", "Can I stay in the room a bit longer?"],
  ["Grandmother is allergic to nuts; the cake must not contain any.", "What food has to be avoided for the old lady?"],
  [
    "The landlord must announce a visit one day ahead.",
    "How early does the owner of the flat have to tell us before coming?",
  ],
  [
    "The lease ends in September and renews unless cancelled three months before.",
    "By when do we have to terminate the rental contract?",
  ],
  ["Lawyers said the licence permits commercial use with attribution.", "May we sell something built on that library?"],
  ["The trademark is registered in class nine only.", "Which categories of goods is our brand protected for?"],
  ["Interviews with engineers take place over video, never by phone.", "How do we talk to technical applicants?"],
  ["New colleagues get a laptop and a mentor on their first day.", "What does a starter receive when joining?"],
  ["Vacation requests go to the team lead two weeks in advance.", "How do I take time off?"],
  ["The budget for conferences is one thousand euros a person and year.", "How much may an employee spend on events?"],
  ["The logo must keep a margin as wide as its letter A.", "How much empty space should surround our emblem?"],
  ["Use green for success and never for warnings.", "Which colour signals that everything went well?"],
  ["Screen readers skip images without a description.", "Why do blind visitors miss the pictures?"],
  ["The river floods in spring when the snow in the mountains melts.", "What causes the high water in April?"],
  ["Bees pollinate a third of the crops in the region.", "Why do insects matter to farmers here?"],
  [
    "The school starts at eight, and the bus leaves twenty minutes before.",
    "When do the children have to be at the stop?",
  ],
  ["Violin lessons moved from Monday to Wednesday afternoon.", "On what day is the music class now?"],
  ["The car needs new brakes before the inspection in June.", "What has to be repaired on the vehicle?"],
  ["The robot lost its way whenever sunlight hit the camera.", "In which situation did navigation fail?"],
  [
    "The summary was too long; cut everything that does not change the decision.",
    "What feedback did I get about the text I delivered?",
  ],
  [
    "Splitting the research among three workers doubled the cost without better results.",
    "Was it worth using a larger team?",
  ],
  [
    "Search engines returned outdated prices; the vendor's own page was right.",
    "Where did I find trustworthy cost information?",
  ],
];
